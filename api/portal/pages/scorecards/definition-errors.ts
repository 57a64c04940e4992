import { findJsonFault } from './find-json-fault.ts'
import { lineAt, locateFault, type Place, placeOf } from './locate-fault.ts'

/** What is wrong with a definition, and where. */
export interface DefinitionError {
  /** Of the member, as in `model.characteristics.0.attributes`; empty: the whole text. */
  readonly path: string
  readonly message: string
  readonly place: Place | undefined
  /** The line there. */
  readonly line: string | undefined
}

/** Faults whose lines are looked up. */
const MAX_LOCATED = 50

const IN_DEFINITION = /^definition\.?/

/** What the API says of a definition, with the lines that it says it of. */
export function locateErrors(
  text: string,
  errors: Readonly<Record<string, readonly string[]>>,
): DefinitionError[] {
  return Object.entries(errors)
    .flatMap(([path, messages]) => messages.map((message) => ({ path, message })))
    .map(({ path, message }, at) => {
      if (!IN_DEFINITION.test(path) || at >= MAX_LOCATED)
        return { path, message, place: undefined, line: undefined }
      const inside = path.replace(IN_DEFINITION, '')
      const place = locateFault(text, inside)
      return { path: inside, message, place, line: lineAt(text, place) }
    })
}

/** Why a text is not JSON, and where; undefined where it is. */
export function findSyntaxError(text: string): DefinitionError | undefined {
  if (text.trim() === '')
    return { path: '', message: 'Choose a file or paste a definition', place: undefined, line: undefined }
  const fault = findJsonFault(text)
  if (!fault) return undefined
  const place = placeOf(text, fault.offset)
  return { path: '', message: `This is not JSON: ${fault.message}`, place, line: lineAt(text, place) }
}
