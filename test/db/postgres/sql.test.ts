import { expect, test } from 'vitest'
import { join, raw, sql, valueRows } from '../../../db/postgres/sql.ts'

const write = ({ text, values }: { text: string; values: readonly unknown[] }) => [text, ...values]

test('values become parameters in their order', () => {
  expect(write(sql`select 1`)).toEqual(['select 1'])
  expect(write(sql`select ${1}, ${'a'}::text where ${true}`)).toEqual([
    'select $1, $2::text where $3',
    1,
    'a',
    true,
  ])
})

test('a value used twice is sent twice', () => {
  expect(write(sql`${7} = ${7}`)).toEqual(['$1 = $2', 7, 7])
})

test('parts keep their values in place, however deep they are nested', () => {
  const inner = sql`b = ${2} and c = ${3}`
  const outer = sql`a = ${1} and (${inner}) and d = ${4}`
  expect(write(sql`select ${raw('x')} where ${outer}`)).toEqual([
    'select x where a = $1 and (b = $2 and c = $3) and d = $4',
    ...[1, 2, 3, 4],
  ])
})

test('parts are joined by a separator', () => {
  expect(write(join([sql`a = ${1}`, sql`b`, sql`c = ${3}`], ' and '))).toEqual([
    'a = $1 and b and c = $2',
    1,
    3,
  ])
  expect(write(sql`where true${join([], ' and ')};`)).toEqual(['where true;'])
})

test('rows become a list for values, with types in the first', () => {
  const rows = valueRows(
    ['integer', 'text'],
    [
      [1, 'a'],
      [2, null],
    ],
  )
  expect(write(sql`values ${rows} limit ${5}`)).toEqual([
    'values ($1::integer, $2::text), ($3, $4) limit $5',
    ...[1, 'a', 2, null, 5],
  ])
})
