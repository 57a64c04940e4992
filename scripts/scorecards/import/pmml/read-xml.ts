import { SaxesParser } from 'saxes'
import { PmmlImportError } from './pmml-import-error.ts'

export interface XmlElement {
  /** Without prefix. */
  readonly name: string
  readonly line: number
  /** Column from 1, for files with few, long lines. */
  readonly column?: number | undefined
  /** Empty if there is none. */
  readonly namespace: string
  /** By name, without xmlns and xsi attributes. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text content, without that of child elements. */
  readonly text: string
}

export const LIMITS = {
  characters: 100_000_000,
  elements: 1_000_000,
  depth: 250,
  attributes: 100,
  attributeCharacters: 10_000,
}

type Limits = Readonly<typeof LIMITS>

/** An XML declaration, the content on one line, and an empty line. */
const FEW_LINES = 3
/** Length up to which a line number is precise enough. */
const LONG_LINE = 80

const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

/** Receives a complete element. @returns whether its content can be released. */
export type Release = (element: XmlElement) => boolean

/** Characters parsed at a time. */
const PIECE = 65_536

/**
 * Reads XML into elements.
 *
 * A document type is rejected, so there are only the predefined entities, and nothing is fetched.
 *
 * @param release is called with each element when it ends, inner ones first.
 * @throws PmmlImportError with the line if the text is not XML, has a DOCTYPE or exceeds a limit.
 */
export function readXml(xml: string, limits: Limits = LIMITS, release?: Release): XmlElement {
  if (xml.length > limits.characters)
    throw new PmmlImportError(`the file is longer than ${limits.characters / 1_000_000} million characters`)
  const parser = new SaxesParser({ xmlns: true })
  const open: OpenElement[] = []
  let root: XmlElement | undefined
  let elements = 0
  let column: number | undefined
  const isInFewLines = xml.split('\n', FEW_LINES + 1).length <= FEW_LINES
  const failure = (what: string) => new PmmlImportError(`line ${parser.line}: ${what}`)

  parser.on('error', (error) => {
    // its message starts with line:column
    const where = isInFewLines ? ` (column ${parser.column})` : ''
    throw failure(`this is not XML: ${error.message.replace(/^(\d+:\d+: )+/, '')}${where}`)
  })
  parser.on('doctype', () => {
    throw failure('a DOCTYPE is not supported, because it can define entities')
  })
  parser.on('opentagstart', ({ name }) => {
    // the parser has read the name and the character after it
    if (isInFewLines) column = parser.column - name.length - 1
    if (++elements > limits.elements) throw failure(`there are more than ${limits.elements} elements`)
    if (open.length >= limits.depth) throw failure(`elements are nested more than ${limits.depth} deep`)
  })
  parser.on('opentag', (tag) => {
    const attributes = new Map<string, string>()
    for (const { name, prefix, uri, value } of Object.values(tag.attributes)) {
      if (name === 'xmlns' || prefix === 'xmlns' || uri === XSI) continue
      if (value.length > limits.attributeCharacters)
        throw failure(`the attribute ${name} is longer than ${limits.attributeCharacters} characters`)
      attributes.set(name, value)
    }
    if (attributes.size > limits.attributes)
      throw failure(`an element has more than ${limits.attributes} attributes`)
    const element: OpenElement = {
      name: tag.local,
      namespace: tag.uri,
      line: parser.line,
      ...(column !== undefined && column > LONG_LINE ? { column } : {}),
      attributes,
      children: [],
      text: '',
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  const add = (text: string) => {
    const element = open.at(-1)
    if (element) element.text += text
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    const closed = open.pop()
    if (closed && release?.(closed)) closed.children.length = 0
  })

  // in chunks, so that the elements of one can be released before the next
  for (let at = 0; at < xml.length; at += PIECE) parser.write(xml.slice(at, at + PIECE))
  parser.close()
  if (!root) throw new PmmlImportError('the file is empty')
  return root
}
