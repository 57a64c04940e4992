import { expect, test } from 'vitest'
import { kindOfKey } from '../../../api/sdk/src/kind-of-key.ts'

test.each([
  ['letter', ['a', 'Z', 'é', 'ß', 'я', '漢', 'e\u0301', '𝒜']],
  ['digit', ['0', '9', '٣']],
  ['space', [' ']],
  ['symbol', ['!', '@', '€', '-', '😀']],
  ['backspace', ['Backspace']],
  ['delete', ['Delete']],
  ['enter', ['Enter']],
  ['tab', ['Tab']],
  ['other', ['Shift', 'F1', 'ArrowLeft', 'Dead', 'Process', 'Unidentified', 'Escape', '']],
])('%s', (kind, keys) => {
  expect(keys.map(kindOfKey)).toEqual(keys.map(() => kind))
})
