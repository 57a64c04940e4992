import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase, queryBinaryRows, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { openTestDatabase } from '../../support/stores.ts'

let db: Db

beforeAll(async () => {
  const { url } = await openTestDatabase()
  db = openDatabase({ url, poolMax: 1 })
})
afterAll(() => db.destroy())

const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4 })

/** Blobs of bytes that are no UTF-8, up to sizes that arrive in many parts. */
const aBlob = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(fc.constantFrom(4_095, 4_096, 65_536, 150_000), fc.nat(255))
    .map(([size, byte]) => Buffer.alloc(size, byte)),
)
const aRow = fc.record({
  int4: nullable(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  int8: nullable(fc.maxSafeInteger()),
  text: nullable(fc.string({ unit: 'grapheme', maxLength: 50 }).filter((text) => !text.includes('\0'))),
  bytea: nullable(aBlob),
  timestamptz: nullable(
    fc
      .date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .chain((date) =>
        fc.nat(999).map((us) => `${date.toISOString().slice(0, -1)}${`${us}`.padStart(3, '0')}Z`),
      ),
  ),
})

test('binary results have the same values as text results, of any size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRow, { minLength: 1, maxLength: 5 }), async (rows) => {
      const statement = sql`
        select * from unnest(${rows.map((row) => row.int4)}::int4[], ${rows.map((row) => row.int8)}::int8[],
          ${rows.map((row) => row.text)}::text[], ${rows.map((row) => row.bytea)}::bytea[],
          ${rows.map((row) => row.timestamptz)}::timestamptz[]) as r (int4, int8, text, bytea, timestamptz)`
      const [binary, text] = await Promise.all([queryBinaryRows(db, statement), queryRows(db, statement)])
      expect(binary).toEqual(text)
      expect(binary).toMatchObject(rows.map(({ int4, int8, bytea }) => ({ int4, int8, bytea })))
    }),
    { numRuns: 15 },
  )
})

test('blobs of a result are not overwritten by what the connection receives later', async () => {
  const ofByte = (byte: number) =>
    sql`select convert_to(repeat(${String(byte)}, 30000), 'UTF8') as blob from generate_series(1, 20)`
  const results = await Promise.all(
    [1, 2, 3].map((byte) => queryBinaryRows<{ blob: Buffer }>(db, ofByte(byte))),
  )
  for (const [n, rows] of results.entries())
    for (const { blob } of rows) expect(blob.equals(Buffer.alloc(30_000, String(n + 1)))).toBe(true)
})

test('a type without a parser fails its statement, and leaves the connection usable', async () => {
  await expect(queryBinaryRows(db, sql`select ${'1.5'}::numeric as n`)).rejects.toThrow(
    'no parser of type 1700',
  )
  await expect(queryBinaryRows(db, sql`select 1 / ${0}::int4 as n`)).rejects.toThrow('division by zero')
  expect(await queryBinaryRows(db, sql`select ${7}::int4 as n where ${true}::bool`)).toEqual([{ n: 7 }])
  expect(await queryRows(db, sql`select 1.5::numeric as n`)).toEqual([{ n: '1.5' }])
})
