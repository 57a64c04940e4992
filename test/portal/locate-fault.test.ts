import { describe, expect, test } from 'vitest'
import { findSyntaxError, locateErrors } from '../../api/portal/pages/scorecards/definition-errors.ts'
import { lineAt, locateFault } from '../../api/portal/pages/scorecards/locate-fault.ts'

const TEXT = `{
  "name": "a \\"quoted\\" } name",
  "model": {
    "characteristics": [
      { "name": "x" },
      { "name": "y", "attributes": [{ "below": 1 },
        { "from": 2 }] }
    ]
  },
  "texts": { "a": 1, "a.b": { "en": "" } }
}`

const at = (path: string) => {
  const place = locateFault(TEXT, path)
  return [place.line, TEXT.slice(place.offset, place.offset + 10).split('\n')[0]]
}

describe('a fault is found in the text', () => {
  test.each([
    ['', 1, '{'],
    ['name', 2, '"a \\"quote'],
    ['model.characteristics.0.name', 5, '"x" },'],
    ['model.characteristics.1.attributes.1', 7, '{ "from": '],
    ['texts.a', 10, '1, "a.b": '],
    ['texts.a.b.en', 10, '"" } }'],
  ])('at %j', (path, line, text) => {
    expect(at(path)).toEqual([line, text])
  })

  test.each([
    ['model.basePoints', 3],
    ['model.characteristics.7.name', 4],
    ['inputs.0.feature', 1],
    ['name.first', 2],
  ])('or in what should hold it: %j', (path, line) => {
    expect(at(path)[0]).toBe(line)
  })

  test('whatever the spaces are', () => {
    expect(locateFault('[1,[2,{"a":[ ]}],3]', '1.1.a')).toEqual({ line: 1, offset: 11 })
  })
})

test('a line is told without its indentation, and a long one from the place on', () => {
  expect(lineAt(TEXT, locateFault(TEXT, 'model.characteristics.0'))).toBe('{ "name": "x" },')
  const long = `[${'1,'.repeat(500)}"x"]`
  expect(lineAt(long, locateFault(long, '500'), 10)).toBe('"x"]…')
})

test('what the API says is told by path within the definition, with its line; other members without', () => {
  const errors = {
    'definition.model.characteristics.1.attributes': ['y: missing has no bin'],
    code: ['is bad'],
  }
  expect(locateErrors(TEXT, errors)).toMatchObject([
    {
      path: 'model.characteristics.1.attributes',
      message: 'y: missing has no bin',
      place: { line: 6 },
      line: '{ "name": "y", "attributes": [{ "below": 1 },',
    },
    { path: 'code', message: 'is bad', place: undefined },
  ])
})

test.each([
  ['{\n  "a": 1,\n  b\n}', 3, 'a name in double quotes is expected', 'b'],
  ['{\n  "a": oops\n}', 2, 'a value is expected', '"a": oops'],
  ['{\n  "a": 1\n  "b": 2 }', 3, 'a comma or } is expected', '"b": 2 }'],
  ['[1, 2', 1, 'a comma or ] is expected, but the text ends', '[1, 2'],
  ['[01]', 1, 'a value is expected', '[01]'],
  ['{"a" 1}', 1, 'a colon is expected behind the name', '{"a" 1}'],
  ['{}\n}', 2, 'nothing is expected behind the end', '}'],
  ['["\\x"]', 1, 'a value is expected', '["\\x"]'],
])('of %j, which is not JSON, line %i is told and why', (text, line, message, shown) => {
  expect(findSyntaxError(text)).toMatchObject({
    message: `This is not JSON: ${message}`,
    place: { line },
    line: shown,
  })
  expect(() => JSON.parse(text)).toThrow()
})

test('what is JSON has no fault, and nothing at all has one', () => {
  for (const text of [TEXT, '[]', '{}', ' [1.5e3, -0, true, null, "\\u00e9", {"a": [[]]}] ', '1', '"ä"'])
    expect(findSyntaxError(text)).toBeUndefined()
  expect(findSyntaxError(' ')).toMatchObject({ message: 'Choose a file or paste a definition' })
})
