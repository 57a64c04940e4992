import { z } from 'zod'
import { Capture } from '../../db/capture/capture.ts'
import { jsonPointer } from './json-pointer.ts'

/** A member that is not in the format, so the service ignores it. */
export interface IgnoredMember {
  /** Its first place, as a JSON pointer. */
  readonly pointer: string
  /** Places with the same member, in all items of a list. */
  readonly times: number
  /** The member of the format with the same letters, such as `storageFreeBytes` for `storage_free_bytes`. */
  readonly meant?: string
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const FORMAT = z.toJSONSchema(Capture, { io: 'input' }) as Schema

/** More are not listed: a capture has at most 10,000 distinct names. */
const MAX_LISTED = 100

/** Lists the members of a capture that are not in the format, each once for all items of a list. */
export function listIgnored(capture: Capture): IgnoredMember[] {
  const found = new Map<string, { pointer: string; times: number; meant?: string }>()
  visit(FORMAT, capture, [], [])
  return [...found.values()]

  function visit(schema: Schema, value: unknown, path: PropertyKey[], kind: string[]): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      const items = partOf(schema, 'items')
      if (items) for (const [at, item] of value.entries()) visit(items, item, [...path, at], [...kind, '*'])
      return
    }
    const known = partOf(schema, 'properties')
    if (!known) return // a record, such as accounts.byType
    for (const [name, member] of Object.entries(value)) {
      const here = [...path, name]
      if (Object.hasOwn(known, name)) visit(known[name] as Schema, member, here, [...kind, name])
      else count([...kind, name].join('\n'), here, Object.keys(known))
    }
  }

  function count(key: string, path: PropertyKey[], known: readonly string[]): void {
    const before = found.get(key)
    if (before) before.times++
    else if (found.size < MAX_LISTED) {
      const meant = known.find((name) => lettersOf(name) === lettersOf(String(path.at(-1))))
      found.set(key, { pointer: jsonPointer(path), times: 1, ...(meant !== undefined && { meant }) })
    }
  }
}

/** A keyword of a schema or of its alternative to null. */
const partOf = <Keyword extends 'items' | 'properties'>(schema: Schema, keyword: Keyword) =>
  [schema, ...(schema.anyOf ?? [])].find((one) => one[keyword] !== undefined)?.[keyword]

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
