import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseUpload, UploadedData } from '../../api/datasets/parse-upload.ts'
import { UploadRequest } from '../../api/datasets/upload.ts'
import { parse } from '../../api/http/parse.ts'
import { Problem } from '../../api/http/problem.ts'
import { parseJson } from '../../api/http/read-json.ts'

/** The request, or the problem that its client gets. */
function outcomeOf(parseBody: (bytes: Buffer) => unknown, body: Buffer): object {
  try {
    const { data, ...members } = parse(UploadRequest, parseBody(Buffer.from(body)))
    return { ...members, blob: data.blob.toString('hex'), hash: data.hash.toString('hex') }
  } catch (error) {
    if (error instanceof Problem)
      return { title: error.code, detail: error.detail, errors: error.options.errors }
    throw error
  }
}

const expectSame = (body: Buffer) => expect(outcomeOf(parseUpload, body)).toEqual(outcomeOf(parseJson, body))

function isDecodedFromBytes(body: Buffer): boolean {
  try {
    return (parseUpload(Buffer.from(body)) as { data?: unknown } | null)?.data instanceof UploadedData
  } catch {
    return false
  }
}

const aText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.constantFrom(
    '',
    '=',
    'AA=',
    'AAAA=',
    'A',
    'AA AA',
    ' AAAA\t',
    'AA\u00a0AA',
    'é',
    '"data":"AAAA"',
    '\\',
    'AA\\/A',
  ),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
)
const aName = fc.constantFrom(
  'data',
  'data',
  'referenceNumber',
  'realIp',
  'additionalInfo',
  'x',
  '"data',
  'data"',
  '__proto__',
)
const aValue = fc.oneof(
  { weight: 3, arbitrary: aText },
  fc.jsonValue({ maxDepth: 1 }),
  fc.dictionary(aName, aText, { maxKeys: 2 }),
)
const aSpace = fc.constantFrom('', '', '', ' ', '\n', '  \t')

const anyMember = fc.tuple(aName, aValue, aSpace, fc.boolean()).map(([name, value, space, isEscaped]) => {
  const json = JSON.stringify(value)
  const text = isEscaped ? json.replaceAll('/', '\\/').replaceAll('A', '\\u0041') : json
  return `${JSON.stringify(name)}${space}:${space}${text}`
})
const usualMember = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => `"data":"${Buffer.from(bytes).toString('base64')}"`)

/** Objects with repeated members, escapes and white space. */
const aBody = fc
  .array(fc.oneof(anyMember, usualMember), { minLength: 1, maxLength: 4 })
  .map((members) => `{"referenceNumber":"LN-1",${members.join(',')}}`)

/** Bytes that change the meaning of what follows them, put anywhere. */
const aChange = fc.tuple(
  fc.nat(),
  fc.constantFrom('"', '\\', ',', ':', '{', '}', '\n', '\0', 'é', '"data":"AAAA"', ',"data":"AAAA"'),
  fc.nat(2),
)

test('a body gives the same request or problem as without decoding data from its bytes', () => {
  let decoded = 0
  fc.assert(
    fc.property(aBody, fc.array(aChange, { maxLength: 2 }), fc.nat(9), (text, changes, cut) => {
      let body = Buffer.from(text)
      for (const [place, bytes, removed] of changes) {
        const at = place % (body.length + 1)
        body = Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at + removed)])
      }
      if (cut === 0) body = body.subarray(0, body.length - 3) // also inside of a UTF-8 sequence
      if (isDecodedFromBytes(body)) decoded++
      expectSame(body)
    }),
    { numRuns: 2_000 },
  )
  expect(decoded).toBeGreaterThan(100)
})

test.each([
  '{"referenceNumber":"LN-1","data":"H4sIAAAA"}',
  '{"data": "H4sIAAAA", "referenceNumber": "LN-1"}',
  '{"referenceNumber":"LN-1","data" : "H4sIAA==","additionalInfo":{"name":"Zoë"}}',
  `{"referenceNumber":"LN-1","data":"${'H4sI'.repeat(50_000)}","realIp":null}`,
])('data of the usual form is decoded from the bytes, body %#', (body) => {
  expect(isDecodedFromBytes(Buffer.from(body))).toBe(true)
  expectSame(Buffer.from(body))
})

test.each([
  ['nested', '{"referenceNumber":"LN-1","additionalInfo":{"data":"AAAA"},"data":"BBBB"}'],
  ['nested, and the only one', '{"referenceNumber":"LN-1","additionalInfo":{"data":"AAAA"}}'],
  ['repeated', '{"referenceNumber":"LN-1","data":"AAAA","data":"BBBB"}'],
  ['repeated under an escaped name', '{"referenceNumber":"LN-1","data":"AAAA","\\u0064ata":"BBBB"}'],
  ['the end of another name', '{"referenceNumber":"LN-1","x\\"data":"AAAA"}'],
  ['a value', '{"referenceNumber":"data","data":"AAAA"}'],
  ['a name inside of a text', '{"referenceNumber":"\\"data\\":\\"AAAA\\"","data":"BBBB"}'],
  ['with an escape', '{"referenceNumber":"LN-1","data":"AA\\/A"}'],
  ['with a line break', '{"referenceNumber":"LN-1","data":"AA\nAA"}'],
  ['with white space', '{"referenceNumber":"LN-1","data":"AA AA"}'],
  ['without an end', '{"referenceNumber":"LN-1","data":"AAAA'],
  ['in a list', '[{"data":"AAAA"}]'],
  ['in a prototype', '{"__proto__":{"data":"AAAA","referenceNumber":"LN-1"}}'],
  ['after a byte order mark', '\uFEFF{"referenceNumber":"LN-1","data":"AAAA"}'],
  ['beside a rest that is large', `{"referenceNumber":"LN-1","data":"AAAA","x":"${'x'.repeat(70_000)}"}`],
])('data that is %s is parsed as before', (_, body) => {
  expectSame(Buffer.from(body))
})
