import { gzipSync } from 'node:zlib'
import { anUpload } from './captures.ts'
import type { Tenant } from './service.ts'

/** A request that is sent on a new connection. */
export interface BadRequest {
  readonly bytes: string | Buffer
  /** Whether the client ends its side of the connection after the bytes. */
  readonly ends?: boolean
}

type Bytes = string | Buffer

const withFields = (requestLine: string, ...fields: string[]): string =>
  [requestLine, 'Host: x', ...fields, '', ''].join('\r\n')

const get = (target: string, ...fields: string[]): string => withFields(`GET ${target} HTTP/1.1`, ...fields)

/** Returns a request for the insight of this dataset. */
const read = ({ requesterKey }: Tenant, reference: string): string =>
  get(`/api/insights/v1/${reference}`, `Authorization: Bearer ${requesterKey}`)

/** Returns an upload with these headers, its credential and, by default, the JSON media type. */
function post(key: string, body: Bytes, ...fields: string[]): Buffer {
  const hasType = fields.some((field) => field.startsWith('Content-Type'))
  const headers = withFields(
    'POST /api/datasets/v1/upload HTTP/1.1',
    `Authorization: Bearer ${key}`,
    ...(hasType ? [] : ['Content-Type: application/json']),
    ...fields,
  )
  return Buffer.concat([Buffer.from(headers), Buffer.from(body)])
}

const lengthOf = (body: Bytes): string => `Content-Length: ${Buffer.byteLength(body)}`

/** Returns a valid upload with these additional fields. */
export function aPost(key: string, ...fields: string[]): Buffer {
  const body = JSON.stringify(anUpload())
  return post(key, body, lengthOf(body), ...fields)
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const CHUNKED = 'Transfer-Encoding: chunked'

/** Returns an upload in chunks, valid by default. */
const chunks = (
  key: string,
  { body = chunk(JSON.stringify(anUpload())), end = '0\r\n\r\n', coding = CHUNKED } = {},
): Buffer => post(key, body + end, coding)

const OVER_MAX = 8 * 1024 * 1024 + 1
const TOO_MUCH = Buffer.alloc(OVER_MAX, ' ')
const BOMB = gzipSync(Buffer.alloc(40 * 1024 * 1024))

const asOneZero = (request: Bytes): string => String(request).replace('HTTP/1.1', 'HTTP/1.0')

/**
 * Lists the request of each row of the tables in docs/http.md, by its first column.
 *
 * A row that waits for a time limit has the limit in its name, in seconds.
 */
export const listBadRequests = (tenant: Tenant): Readonly<Record<string, Bytes | BadRequest>> => {
  const key = tenant.uploaderKey
  const withLength = (value: string) => post(key, '{}', `Content-Length: ${value}`)
  const withCoding = (coding: string) => chunks(key, { coding })
  return {
    'bytes that are not HTTP': 'what is this?\r\n\r\n',
    'a TLS hello': Buffer.from('16030100c8010000c40303', 'hex'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/1.2': withFields('GET /healthz HTTP/1.2'),
    'lines that end without a carriage return': 'GET /healthz HTTP/1.1\nHost: x\n\n',
    'an empty line before a request': `\r\n${get('/healthz')}`,
    'HTTP/1.0': 'GET /healthz HTTP/1.0\r\n\r\n',
    'HTTP/0.9, and nothing more for 20 s': 'GET /healthz\r\n',
    'headers that stop in the middle for 20 s': 'GET /healthz HTTP/1.1\r\nHost: x\r\n',
    'headers that stop in the middle, and the client closes': {
      bytes: 'GET /healthz HTTP/1.1\r\nHo',
      ends: true,
    },

    'an unknown method': withFields('BREW /healthz HTTP/1.1'),
    'a method in lower case': withFields('get /healthz HTTP/1.1'),
    CONNECT: withFields('CONNECT other.example:443 HTTP/1.1'),
    TRACE: withFields('TRACE /healthz HTTP/1.1'),
    OPTIONS: withFields('OPTIONS /healthz HTTP/1.1'),
    'OPTIONS *': withFields('OPTIONS * HTTP/1.1'),
    'PROPFIND on an unknown route': withFields('PROPFIND /nothing HTTP/1.1'),
    'HEAD on a GET route': withFields('HEAD /healthz HTTP/1.1'),
    'a request to upgrade to WebSocket': get('/healthz', 'Connection: Upgrade', 'Upgrade: websocket'),
    'a request to upgrade to HTTP/2': get('/healthz', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'),
    'an absolute target': get('http://other.example:81/healthz'),
    'an absolute target that is not a URL': get('http:[::1/healthz'),
    'a target without a slash': get('healthz'),
    'a target with a fragment': get('//#[@#'),
    'a target with a space': get('/health z'),
    'a target with a control character': get('/health\x01z'),
    'a target with a letter beyond ASCII': get('/hëalthz'),
    'a target of 20,000 characters': get(`/${'a'.repeat(20_000)}`),
    '`//healthz`': get('//healthz'),
    '`/docs/../healthz`': get('/docs/../healthz'),
    '`/%2e%2e/healthz`': get('/%2e%2e/healthz'),
    '`/%`': get('/%'),
    'a reference number of `%`': read(tenant, '%'),
    'a reference number of `%zz`': read(tenant, '%zz'),
    'a reference number of `%00`': read(tenant, '%00'),
    'a reference number of `%c0%80`, an overlong NUL': read(tenant, '%c0%80'),
    'a reference number of `%ed%a0%80`, half a surrogate pair': read(tenant, '%ed%a0%80'),
    'a reference number of `%252e%252e%252f`, encoded twice': read(tenant, '%252e%252e%252f'),
    'a reference number of 1,000 emoji': read(tenant, '%F0%9F%98%80'.repeat(1_000)),
    'a query of `codes=%zz&codes=%00&__proto__=x&codes[]=y`': read(
      tenant,
      'none?codes=%zz&codes=%00&__proto__=x&codes[]=y',
    ),

    '100 fields': get('/healthz', ...Array.from({ length: 99 }, (_, n) => `X-${n}: ${n}`)),
    '101 fields': get('/healthz', ...Array.from({ length: 100 }, (_, n) => `X-${n}: ${n}`)),
    '4,000 fields': get('/healthz', ...Array(3_999).fill('a:')),
    'a field of 16,000 characters': get('/healthz', `X-Large: ${'x'.repeat(16_000)}`),
    'a field of 17,000 characters': get('/healthz', `X-Large: ${'x'.repeat(17_000)}`),
    'a credential of 15,000 characters': post('x'.repeat(15_000), '{}', 'Content-Length: 2'),
    'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
    'two Hosts': get('/healthz', 'Host: y'),
    'an invalid Host': 'GET /healthz HTTP/1.1\r\nHost: <x> /y\r\n\r\n',
    'a field without a colon': get('/healthz', 'nonsense'),
    'a field without a name': get('/healthz', ': x'),
    'a space before the colon': get('/healthz', 'A : x'),
    'a field continued on the next line': get('/healthz', 'A: x', ' y'),
    'NUL in a value': get('/healthz', 'A: x\0y'),
    'a carriage return alone in a value': get('/healthz', 'A: x\rB: y'),
    'an ANSI escape in X-Request-Id': get('/healthz', 'X-Request-Id: \x1b[31mred'),
    'bytes beyond ASCII in X-Request-Id': get('/healthz', 'X-Request-Id: ü'),
    'an unknown Expect': aPost(key, 'Expect: 200-ok'),
    'Expect: 100-continue': aPost(key, 'Expect: 100-continue'),
    'Expect: 100-continue without a credential': post(
      'none',
      '',
      'Content-Length: 9',
      'Expect: 100-continue',
    ),
    'Expect: 100-continue and too large a body': post(
      key,
      '',
      `Content-Length: ${OVER_MAX}`,
      'Expect: 100-continue',
    ),
    'Expect: 100-continue in HTTP/1.0': asOneZero(aPost(key, 'Expect: 100-continue')),

    'the same Content-Length twice': post(key, '{}', 'Content-Length: 2', 'Content-Length: 2'),
    'two different Content-Lengths': post(key, '{}', 'Content-Length: 2', 'Content-Length: 1'),
    'a Content-Length that is a list': withLength('2, 2'),
    'a Content-Length of -1': withLength('-1'),
    'a Content-Length of +2': withLength('+2'),
    'a Content-Length of 0x2': withLength('0x2'),
    'a Content-Length beyond 64 bits': withLength('99999999999999999999'),
    'Content-Length and Transfer-Encoding': post(
      key,
      '0\r\n\r\nGET /smuggled HTTP/1.1\r\nX: ',
      'Content-Length: 6',
      CHUNKED,
    ),
    'Transfer-Encoding that is not chunked': withCoding('Transfer-Encoding: identity'),
    'Transfer-Encoding: gzip, chunked': withCoding('Transfer-Encoding: gzip, chunked'),
    'Transfer-Encoding: chunked, gzip': withCoding('Transfer-Encoding: chunked, gzip'),
    'Transfer-Encoding: chunked, twice': withCoding(`${CHUNKED}\r\n${CHUNKED}`),
    'Transfer-Encoding with a vertical tab': withCoding('Transfer-Encoding: \x0bchunked'),
    'a chunk whose size is not a number': chunks(key, { body: 'zz\r\n{}\r\n' }),
    'a chunk that is larger than its size': chunks(key, { body: '1\r\n{}\r\n' }),
    'a chunk whose size is beyond 64 bits': chunks(key, { body: 'ffffffffffffffffff\r\n{}\r\n' }),
    'a chunk with an extension of 17,000 characters': chunks(key, {
      body: `2;${'x'.repeat(17_000)}\r\n{}\r\n`,
    }),
    chunks: chunks(key),
    'trailers that name another credential': chunks(key, { end: '0\r\nAuthorization: Bearer none\r\n\r\n' }),
    'trailers of 20,000 characters': chunks(key, { end: `0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n` }),
    'a body that stops in the middle for 120 s': post(key, '{"data"', 'Content-Length: 50'),
    'a body that stops in the middle, and the client closes': {
      bytes: post(key, '{"data"', 'Content-Length: 50'),
      ends: true,
    },
    'a body with neither Content-Length nor Transfer-Encoding': post(key, '{}'),
    'a body over MAX_BODY_BYTES': post(key, TOO_MUCH, lengthOf(TOO_MUCH)),
    'a gzip bomb': post(key, BOMB, lengthOf(BOMB), 'Content-Encoding: gzip'),
    'a body declared as gzip that is not gzip': aPost(key, 'Content-Encoding: gzip'),
    'a body in Brotli': aPost(key, 'Content-Encoding: br'),
    'a body of text/plain': aPost(key, 'Content-Type: text/plain'),
    'a body with GET': `${get('/healthz', 'Content-Length: 5')}hello`,
    'a bad chunk with GET': `${get('/healthz', CHUNKED)}zz\r\n`,

    'three requests at once': get('/healthz').repeat(3),
    'two requests and bytes that are not a request, at once': `${get('/healthz').repeat(2)}what is this?\r\n\r\n`,
    'an upload and bytes that are not a request, at once': Buffer.concat([
      aPost(key),
      Buffer.from('what?\r\n\r\n'),
    ]),
    'an upload and CONNECT, at once': Buffer.concat([
      aPost(key),
      Buffer.from(withFields('CONNECT other.example:443 HTTP/1.1')),
    ]),
  }
}
