import { readElement } from './read-element.ts'
import type { XmlElement } from './read-xml.ts'

/** Reads values separated by blanks; values with blanks are in double quotes, with `\"` for a quote. */
export function readArray(element: XmlElement): string[] {
  return readElement(element, (from) => {
    from.choice('type', ['int', 'real', 'string'])
    const count = from.number('n')
    const tokens = from.element.text.match(/"(?:\\.|[^"\\])*"|[^\s"]+/g) ?? []
    const values = tokens.map((token) =>
      token.startsWith('"') ? token.slice(1, -1).replace(/\\(["\\])/g, '$1') : token,
    )
    if (count !== undefined && count !== values.length)
      from.fail(`n is ${count}, but there are ${values.length} values`)
    return values
  })
}
