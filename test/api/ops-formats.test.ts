import { expect, test } from 'vitest'
import { presentBytes } from '../../api/ops/formats.ts'

test('sizes have two or three digits', () => {
  expect([0, 5, 999, 1_000, 14_700, 256e6, 1.24e9, 5e15].map(presentBytes)).toEqual([
    ...['0 bytes', '5 bytes', '999 bytes', '1.0 KB', '15 KB', '256 MB'],
    ...['1.2 GB', '5000 TB'],
  ])
})
