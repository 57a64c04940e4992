import { createHash } from 'node:crypto'
import type { Scorecard } from './definition.ts'

/** SHA-256 of a definition in hexadecimal; it does not depend on the order of members, so that equal versions are the same scorecard. */
export const versionOf = (definition: Scorecard): string =>
  createHash('sha256').update(JSON.stringify(definition, sortMembers)).digest('hex')

/** Sorts the members of objects by name. */
const sortMembers = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
