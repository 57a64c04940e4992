import { findPosition, findSyntaxError, lineAt, type Position } from './json-position.ts'

/** An error of a definition, with its position if known. */
export interface DefinitionError {
  /** Member path, such as `model.characteristics.0.attributes`; empty for the whole text. */
  readonly path: string
  readonly message: string
  readonly position: Position | undefined
  /** The line at the position. */
  readonly line: string | undefined
}

/** Errors beyond this number get no position. */
const MAX_LOCATED = 50

const IN_DEFINITION = /^definition\.?/

/** Finds the positions of the API's validation errors in the text of a definition. */
export const locateErrors = (
  text: string,
  errors: Readonly<Record<string, readonly string[]>>,
): DefinitionError[] =>
  Object.entries(errors)
    .flatMap(([path, messages]) => messages.map((message) => ({ path, message })))
    .map(({ path, message }, index) => {
      if (!IN_DEFINITION.test(path) || index >= MAX_LOCATED)
        return { path, message, position: undefined, line: undefined }
      const inside = path.replace(IN_DEFINITION, '')
      const position = findPosition(text, inside)
      return { path: inside, message, position, line: lineAt(text, position) }
    })

/** Checks that a text is JSON; undefined if it is. */
export function checkSyntax(text: string): DefinitionError | undefined {
  if (text.trim() === '')
    return { path: '', message: 'Choose a file or paste a definition', position: undefined, line: undefined }
  const error = findSyntaxError(text)
  if (!error) return undefined
  const { message, position } = error
  return { path: '', message: `Invalid JSON: ${message}`, position, line: lineAt(text, position) }
}
