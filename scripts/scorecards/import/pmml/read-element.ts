import { readNumber } from '../../../../worker/scoring/pmml/values.ts'
import { PmmlImportError } from './pmml-import-error.ts'
import type { XmlElement } from './read-xml.ts'

/** Access to an element that tracks the attributes and children read: unread ones are rejected at the end. */
export interface ElementReader {
  readonly element: XmlElement
  /** @throws PmmlImportError always, with the place of this element. */
  fail(what: string): never
  text(name: string): string | undefined
  required(name: string): string
  number(name: string): number | undefined
  requiredNumber(name: string): number
  /** Like `number` for a bound; undefined if it is infinite. */
  bound(name: string, infinity: 'INF' | '-INF'): number | undefined
  integer(name: string, otherwise: number): number
  flag(name: string, otherwise: boolean): boolean
  choice<T extends string, D extends T | undefined = undefined>(
    name: string,
    among: readonly T[],
    otherwise?: D,
  ): T | D
  /** Ignores attributes that do not affect scores. */
  ignore(...names: readonly string[]): void
  child(name: string): XmlElement | undefined
  requiredChild(name: string): XmlElement
  /** In document order. */
  children(...names: readonly string[]): XmlElement[]
  /** Ignores children that do not affect scores. */
  skip(...names: readonly string[]): void
}

/** A consumer may ignore extensions (the standard, General Structure). */
const EXTENSION = 'Extension'

/**
 * Reads an element: `read` reads the attributes and children that it supports.
 *
 * @throws PmmlImportError for an attribute or child that was not read, and for missing or invalid content.
 */
export function readElement<T>(element: XmlElement, read: (from: ElementReader) => T): T {
  const attributes = new Set<string>()
  const names = new Set<string>([EXTENSION])
  const fail = (what: string): never => {
    throw new PmmlImportError(what, element)
  }
  const text = (name: string) => {
    attributes.add(name)
    return element.attributes.get(name)
  }
  const required = (name: string) => text(name) ?? fail(`the attribute ${name} is missing`)
  const number = (name: string) => {
    const value = text(name)
    if (value === undefined) return undefined
    const read = readNumber(value)
    return Number.isFinite(read) ? read : fail(`${name}=${JSON.stringify(value)} is not a number`)
  }
  const children = (...wanted: readonly string[]) => {
    for (const name of wanted) names.add(name)
    return element.children.filter(({ name }) => wanted.includes(name))
  }
  const child = (name: string) => {
    const [first, second] = children(name)
    if (second) throw new PmmlImportError(`only one <${name}> is allowed`, second)
    return first
  }
  const result = read({
    element,
    fail,
    text,
    required,
    number,
    requiredNumber: (name) => number(name) ?? fail(`the attribute ${name} is missing`),
    bound: (name, infinity) => (text(name)?.trim() === infinity ? undefined : number(name)),
    integer: (name, otherwise) => {
      const value = number(name) ?? otherwise
      return Number.isInteger(value) ? value : fail(`${name}=${value} is not a whole number`)
    },
    flag: (name, otherwise) => {
      const value = text(name)
      if (value === undefined) return otherwise
      if (value === 'true' || value === '1') return true
      return value === 'false' || value === '0'
        ? false
        : fail(`${name}=${JSON.stringify(value)} is neither true nor false`)
    },
    choice: (name, among, otherwise) => {
      const value = text(name)
      if (value === undefined) return otherwise as never
      const found = among.find((candidate) => candidate === value)
      return (
        found ?? fail(`${name}=${JSON.stringify(value)} is not supported; supported are ${among.join(', ')}`)
      )
    },
    ignore: (...ignored) => {
      for (const name of ignored) attributes.add(name)
    },
    child,
    requiredChild: (name) => child(name) ?? fail(`<${name}> is missing`),
    children,
    skip: (...skipped) => {
      for (const name of skipped) names.add(name)
    },
  })
  const attribute = [...element.attributes.keys()].find((name) => !attributes.has(name))
  if (attribute !== undefined)
    fail(`the attribute ${attribute}=${JSON.stringify(element.attributes.get(attribute))} is not supported`)
  const unknown = element.children.find(({ name }) => !names.has(name))
  if (unknown) throw new PmmlImportError(`it is not supported in <${element.name}>`, unknown)
  return result
}
