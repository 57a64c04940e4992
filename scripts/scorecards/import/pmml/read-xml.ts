import { SaxesParser } from 'saxes'
import { PmmlImportError } from './pmml-import-error.ts'

export interface XmlElement {
  /** Without prefix. */
  readonly name: string
  readonly line: number
  /** Of a file that is written in a few long lines, where a line says little; from 1. */
  readonly column?: number | undefined
  /** '' where there is none. */
  readonly namespace: string
  /** By name, without those of XML itself: xmlns and xsi. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** All text directly within, as it is. */
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

/** A declaration, and all else on the next line, and an empty one. */
const FEW_LINES = 3
/** Characters of a line that a person sees at once. */
const LONG_LINE = 80

const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

/** Takes an element that is complete. @returns whether what is within it is needed no more. */
export type Release = (element: XmlElement) => boolean

/** Characters that are read at a time. */
const PIECE = 65_536

/**
 * Reads XML into elements.
 *
 * No document type is taken, so there are no entities but those of XML itself, and nothing is ever fetched.
 *
 * @param release is given each element when it ends, inner ones first.
 * @throws PmmlImportError with the line for what is no XML, has a DOCTYPE or is over a limit.
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
  const refuse = (what: string) => new PmmlImportError(`line ${parser.line}: ${what}`)

  parser.on('error', (error) => {
    // its message starts with line:column
    const where = isInFewLines ? ` (column ${parser.column})` : ''
    throw refuse(`this is no XML: ${error.message.replace(/^(\d+:\d+: )+/, '')}${where}`)
  })
  parser.on('doctype', () => {
    throw refuse('a DOCTYPE is not taken, as it can define entities')
  })
  parser.on('opentagstart', ({ name }) => {
    // the parser has read the name and the character after it
    if (isInFewLines) column = parser.column - name.length - 1
    if (++elements > limits.elements) throw refuse(`there are more than ${limits.elements} elements`)
    if (open.length >= limits.depth) throw refuse(`elements are nested more than ${limits.depth} deep`)
  })
  parser.on('opentag', (tag) => {
    const attributes = new Map<string, string>()
    for (const { name, prefix, uri, value } of Object.values(tag.attributes)) {
      if (name === 'xmlns' || prefix === 'xmlns' || uri === XSI) continue
      if (value.length > limits.attributeCharacters)
        throw refuse(`the attribute ${name} is longer than ${limits.attributeCharacters} characters`)
      attributes.set(name, value)
    }
    if (attributes.size > limits.attributes)
      throw refuse(`an element has more than ${limits.attributes} attributes`)
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

  // in pieces, so that what is read of one can be freed before the next
  for (let at = 0; at < xml.length; at += PIECE) parser.write(xml.slice(at, at + PIECE))
  parser.close()
  if (!root) throw new PmmlImportError('the file is empty')
  return root
}
