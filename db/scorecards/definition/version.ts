import { createHash } from 'node:crypto'
import type { Scorecard } from './definition.ts'

/** SHA-256 of a definition in hexadecimal: two equal versions are the same scorecard, in whatever order it was written. */
export const versionOf = (definition: Scorecard): string =>
  createHash('sha256').update(JSON.stringify(definition, inOrder)).digest('hex')

/** Objects with their members by name. */
const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
