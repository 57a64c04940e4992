import { expect, test } from 'vitest'

// If this fails, the engine is fixed: remove what SECURITY.md says about it, and the filter of arbitrary captures.
test('JSON.parse misreads a name with an escape, once it has read one with a backslash', () => {
  const behind = '"a member that nothing else has":0' // what follows it is learnt here
  expect(Object.keys(JSON.parse(String.raw`{${behind},"\\":0}`))[1]).toBe('\\')
  expect(Object.keys(JSON.parse(String.raw`{${behind},"\n":0}`))[1]).toBe('\\')
})
