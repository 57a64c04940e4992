import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { prepareDrain } from '../../api/http/prepare-drain.ts'

test('a connection on which nothing was sent is closed, also where Node takes it for one whose request is beginning', async () => {
  const server = createServer()
  server.closeIdleConnections = () => undefined // as on Node 24, where this leaves such a connection open
  const drain = prepareDrain(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined) // it may be reset
  await once(server, 'connection')
  const closed = once(socket, 'close')
  await drain()
  await closed
  expect(socket.bytesRead).toBe(0)
}, 10_000)
