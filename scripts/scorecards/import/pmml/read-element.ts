import { readNumber } from '../../../../worker/scoring/pmml/values.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import type { XmlElement } from './read-xml.ts'

/** An element as its reader asks it: what nobody asks for is refused at the end. */
export interface ElementReader {
  readonly element: XmlElement
  /** @throws PmmlImportError always, with the place of this element. */
  fail(what: string): never
  text(name: string): string | undefined
  required(name: string): string
  number(name: string): number | undefined
  requiredNumber(name: string): number
  /** As `number`, of an end: left out where it is written as the infinity that leaving it out means. */
  bound(name: string, infinity: 'INF' | '-INF'): number | undefined
  integer(name: string, otherwise: number): number
  flag(name: string, otherwise: boolean): boolean
  choice<T extends string, D extends T | undefined = undefined>(
    name: string,
    among: readonly T[],
    otherwise?: D,
  ): T | D
  /** Attributes that change no score. */
  ignore(...names: readonly string[]): void
  child(name: string): XmlElement | undefined
  requiredChild(name: string): XmlElement
  /** In their order. */
  children(...names: readonly string[]): XmlElement[]
  /** Children that change no score. */
  skip(...names: readonly string[]): void
}

/** Extensions are for those who know them; a consumer may pass over them (the standard, General Structure). */
const EXTENSION = 'Extension'

/**
 * Reads an element: `read` asks for the attributes and children that it knows.
 *
 * @throws PmmlImportError that names every attribute or child that was not asked for, and what is missing or wrong.
 */
export function readElement<T>(element: XmlElement, read: (from: ElementReader) => T): T {
  const attributes = new Set<string>()
  const names = new Set<string>([EXTENSION])
  const refuse = (what: string): never => {
    throw new PmmlImportError(what, element)
  }
  const text = (name: string) => {
    attributes.add(name)
    return element.attributes.get(name)
  }
  const required = (name: string) => text(name) ?? refuse(`the attribute ${name} is missing`)
  const number = (name: string) => {
    const value = text(name)
    if (value === undefined) return undefined
    const read = readNumber(value)
    return Number.isFinite(read) ? read : refuse(`${name}=${JSON.stringify(value)} is no number`)
  }
  const children = (...wanted: readonly string[]) => {
    for (const name of wanted) names.add(name)
    return element.children.filter(({ name }) => wanted.includes(name))
  }
  const child = (name: string) => {
    const [first, second] = children(name)
    if (second) throw new PmmlImportError(`there is a <${name}> already`, second)
    return first
  }
  const result = read({
    element,
    fail: refuse,
    text,
    required,
    number,
    requiredNumber: (name) => number(name) ?? refuse(`the attribute ${name} is missing`),
    bound: (name, infinity) => (text(name)?.trim() === infinity ? undefined : number(name)),
    integer: (name, otherwise) => {
      const value = number(name) ?? otherwise
      return Number.isInteger(value) ? value : refuse(`${name}=${value} is no whole number`)
    },
    flag: (name, otherwise) => {
      const value = text(name)
      if (value === undefined) return otherwise
      if (value === 'true' || value === '1') return true
      return value === 'false' || value === '0'
        ? false
        : refuse(`${name}=${JSON.stringify(value)} is neither true nor false`)
    },
    choice: (name, among, otherwise) => {
      const value = text(name)
      if (value === undefined) return otherwise as never
      const found = among.find((candidate) => candidate === value)
      return (
        found ?? refuse(`${name}=${JSON.stringify(value)} is not supported; known are ${among.join(', ')}`)
      )
    },
    ignore: (...ignored) => {
      for (const name of ignored) attributes.add(name)
    },
    child,
    requiredChild: (name) => child(name) ?? refuse(`there is no <${name}> within`),
    children,
    skip: (...skipped) => {
      for (const name of skipped) names.add(name)
    },
  })
  const attribute = [...element.attributes.keys()].find((name) => !attributes.has(name))
  if (attribute !== undefined)
    refuse(`the attribute ${attribute}=${JSON.stringify(element.attributes.get(attribute))} is not supported`)
  const unknown = element.children.find(({ name }) => !names.has(name))
  if (unknown) throw new PmmlImportError(`it is not supported within <${element.name}>`, unknown)
  return result
}
