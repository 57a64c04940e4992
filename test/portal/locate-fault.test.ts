import { describe, expect, test } from 'vitest'
import { checkSyntax, locateErrors } from '../../api/portal/pages/scorecards/definition-errors.ts'
import { findPosition, lineAt } from '../../api/portal/pages/scorecards/json-position.ts'

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
  const position = findPosition(TEXT, path)
  return [position.line, TEXT.slice(position.offset, position.offset + 10).split('\n')[0]]
}

describe('finds the position of an error in the text', () => {
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
  ])('in the nearest existing parent of %j', (path, line) => {
    expect(at(path)[0]).toBe(line)
  })

  test('regardless of whitespace', () => {
    expect(findPosition('[1,[2,{"a":[ ]}],3]', '1.1.a')).toEqual({ line: 1, offset: 11 })
  })
})

test('a line is shown without its indentation, and a long line only from the position of the error', () => {
  expect(lineAt(TEXT, findPosition(TEXT, 'model.characteristics.0'))).toBe('{ "name": "x" },')
  const long = `[${'1,'.repeat(500)}"x"]`
  expect(lineAt(long, findPosition(long, '500'), 10)).toBe('"x"]…')
})

test('API errors within the definition have their path in it and their line; errors of other members have no position', () => {
  const errors = {
    'definition.model.characteristics.1.attributes': ['y: missing has no bin'],
    code: ['is bad'],
  }
  expect(locateErrors(TEXT, errors)).toMatchObject([
    {
      path: 'model.characteristics.1.attributes',
      message: 'y: missing has no bin',
      position: { line: 6 },
      line: '{ "name": "y", "attributes": [{ "below": 1 },',
    },
    { path: 'code', message: 'is bad', position: undefined },
  ])
})

test.each([
  ['{\n  "a": 1,\n  b\n}', 3, 'expected a name in double quotes', 'b'],
  ['{\n  "a": oops\n}', 2, 'expected a value', '"a": oops'],
  ['{\n  "a": 1\n  "b": 2 }', 3, 'expected a comma', '"b": 2 }'],
  ['[1, 2', 1, 'expected a comma or ], but the text ends', '[1, 2'],
  ['[01]', 1, 'expected a comma', '[01]'],
  ['{"a" 1}', 1, 'expected a colon after the name', '{"a" 1}'],
  ['{}\n}', 2, 'expected the end of the text', '}'],
  ['["\\x"]', 1, 'invalid escape sequence', '["\\x"]'],
])('a syntax error has a message and a line: %j, line %i', (text, line, message, shown) => {
  expect(checkSyntax(text)).toMatchObject({
    message: `Invalid JSON: ${message}`,
    position: { line },
    line: shown,
  })
  expect(() => JSON.parse(text)).toThrow()
})

test('valid JSON has no error; an empty text has one', () => {
  for (const text of [TEXT, '[]', '{}', ' [1.5e3, -0, true, null, "\\u00e9", {"a": [[]]}] ', '1', '"ä"'])
    expect(checkSyntax(text)).toBeUndefined()
  expect(checkSyntax(' ')).toMatchObject({ message: 'Choose a file or paste a definition' })
})
