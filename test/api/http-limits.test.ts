import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Koa from 'koa'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { webEnv } from '../../api/config.ts'
import { openServer } from '../../api/http/open-server.ts'
import { readEnv } from '../../db/runtime/env.ts'
import { declared } from '../support/client.ts'
import { PROJECT } from '../support/start-process.ts'

/** Limits by the first column of the table in docs/http.md. */
const LIMITS = new Map(
  readFileSync(join(PROJECT, 'docs/http.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 5)
    .map(([, what = '', limit = '']) => [what, limit]),
)

test('the limits in docs/http.md are those of the server', () => {
  const server = openServer(new Koa() as never, pino({ level: 'silent' }))
  const { MAX_BODY_BYTES } = readEnv(webEnv({}), { DATABASE_URL: 'postgres://x' })
  const { maxHeaderSize } = server as unknown as { maxHeaderSize: number }
  expect({
    'request line and headers': LIMITS.get('request line and headers')?.split(',')[0],
    'time until the headers are complete': LIMITS.get('time until the headers are complete'),
    'time until the body is complete': LIMITS.get('time until the body is complete'),
    'an idle connection between two requests': LIMITS.get('an idle connection between two requests'),
    'connections of a web process': LIMITS.get('connections of a web process'),
    'body on the wire': LIMITS.get('body on the wire'),
  }).toEqual({
    'request line and headers': `${maxHeaderSize / 1024} KiB`,
    'time until the headers are complete': `${server.headersTimeout / 1_000} s`,
    'time until the body is complete': `${server.requestTimeout / 1_000} s`,
    'an idle connection between two requests': `${server.keepAliveTimeout / 1_000} s`,
    'connections of a web process': server.maxConnections.toLocaleString('en'),
    'body on the wire': `\`MAX_BODY_BYTES\`, ${MAX_BODY_BYTES / 1024 ** 2} MiB`,
  })
})

test('CONNECT is rejected with every method that some endpoint supports', async () => {
  const server = openServer(new Koa() as never, pino({ level: 'silent' })).listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port)
  socket.write('CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await text(socket)
  server.close()
  const methods = new Set(['HEAD', ...declared.map(({ method }) => method.toUpperCase())])
  const [, allow = ''] = /\r\nAllow: (.+)\r\n/.exec(response) ?? []
  expect(response).toMatch(/^HTTP\/1\.1 405 /)
  expect(allow.split(', ').toSorted()).toEqual([...methods].toSorted())
})
