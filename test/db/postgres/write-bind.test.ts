import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { openTestDatabase } from '../../support/stores.ts'

let db: Db

beforeAll(async () => {
  const { url } = await openTestDatabase()
  db = openDatabase({ url, poolMax: 1 })
})
afterAll(() => db.destroy())

/** Around the size from which on a value is written as it is, and far beyond what a socket takes at once. */
const aBlob = fc
  .tuple(fc.constantFrom(0, 1, 4_095, 4_096, 4_097, 60_000, 400_000), fc.nat(255))
  .map(([length, byte]) => Buffer.alloc(length, byte))
const aText = fc
  .string({ unit: 'grapheme', maxLength: 50 })
  .filter((text) => !text.includes('\0') && text.isWellFormed())
const aValue = fc.oneof(aBlob, aText, fc.constant(null))

test('Postgres receives every value unchanged, of any size and in any combination', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aValue, { minLength: 1, maxLength: 8 }), async (values) => {
      const columns = values.map((value, n) => `?::${Buffer.isBuffer(value) ? 'bytea' : 'text'} as v${n}`)
      const [row] = await queryRows<object>(db, `select ${columns.join(', ')}`, values)
      expect(Object.values(row ?? {})).toEqual(values)
    }),
    { numRuns: 40 },
  )
})

test('an error of a statement with large values leaves the connection usable', async () => {
  const blob = Buffer.alloc(50_000, 7)
  await expect(queryRows(db, 'select ?::bytea, 1 / ?::integer', [blob, 0])).rejects.toThrow(
    'division by zero',
  )
  await expect(queryRows(db, 'select ?::bytea, ?::integer', [blob, 'x'])).rejects.toThrow(
    'invalid input syntax',
  )
  expect(await queryRows(db, 'select length(?::bytea) as n', [blob])).toEqual([{ n: 50_000 }])
})
