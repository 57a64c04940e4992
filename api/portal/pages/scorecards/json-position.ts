import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A position in a text: the line from 1, the offset from 0. */
export interface Position {
  readonly line: number
  readonly offset: number
}

/** Messages by the parser's error codes. */
const SYNTAX_ERRORS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon after the name',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a comma or }',
  CloseBracketExpected: 'expected a comma or ]',
  EndOfFileExpected: 'expected the end of the text',
  UnexpectedEndOfString: 'the string has no end',
  UnexpectedEndOfNumber: 'invalid number',
  InvalidCommentToken: 'comments are not allowed',
  InvalidEscapeCharacter: 'invalid escape sequence',
  InvalidUnicode: 'invalid escape sequence',
  InvalidCharacter: 'invalid character in a string',
}

/** Finds the first syntax error of a text; undefined if it is JSON. */
export function findSyntaxError(text: string): { message: string; position: Position } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const errors: ParseError[] = []
    parse(text, errors)
    const offset = errors[0]?.offset ?? 0
    // an unknown symbol is followed by the error of what was expected instead
    const messages = errors.map(({ error }) => SYNTAX_ERRORS[printParseErrorCode(error)])
    const message = messages.find((one) => one !== undefined) ?? 'unexpected character'
    return {
      message: offset >= text.length ? `${message}, but the text ends` : message,
      position: positionAt(text, offset),
    }
  }
}

/** Parses as far as possible; undefined for texts nested too deeply for the recursive parser. */
function parse(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch {
    return undefined
  }
}

/**
 * Finds the value at a path of a JSON text, such as `model.characteristics.0.attributes`, or the innermost existing value around
 * it. Names may contain dots: the longest matching name counts.
 */
export function findPosition(text: string, path: string): Position {
  let at: Step = { node: parse(text), rest: path }
  while (at.rest !== '') {
    const [next] = stepsInto(at).toSorted((a, b) => a.rest.length - b.rest.length)
    if (!next) break
    at = next
  }
  return positionAt(text, at.node?.offset ?? 0)
}

interface Step {
  readonly node: Node | undefined
  /** Path from the node on. */
  readonly rest: string
}

/** The steps to the members or items of a node with which the path begins. */
const stepsInto = ({ node, rest }: Step): Step[] =>
  (node?.children ?? []).flatMap((child, index) => {
    const [key, value] = node?.type === 'array' ? [{ value: index }, child] : (child.children ?? [])
    const name = String(key?.value)
    return rest === name || rest.startsWith(`${name}.`)
      ? [{ node: value, rest: rest.slice(name.length + 1) }]
      : []
  })

const positionAt = (text: string, offset: number): Position => ({
  line: text.slice(0, offset).split('\n').length,
  offset,
})

/** The line at a position, without indentation; a long line is truncated to begin there. */
export function lineAt(text: string, { offset }: Position, maxLength = 100): string {
  const from = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const line = text.slice(from, end < 0 ? undefined : end)
  if (line.length <= maxLength) return line.trim()
  return `${text.slice(offset, offset + maxLength).trim()}…`
}
