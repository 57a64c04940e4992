import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { killProcesses, type WebProcess } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

const run = promisify(execFile)

afterAll(killProcesses)

const CONNECTIONS = byLength({ short: 900, long: 10_000 })

/** Memory limit per idle connection; measured: 13 KB with 10,000 connections. */
const MAX_BYTES_EACH = 24 * 1024

/** How far the heap may have grown for other reasons: when V8 collects garbage of the uploads is up to V8. */
const MAX_HEAP_GROWTH = 16 * 1024 * 1024

/** Opens connections as fast as they are accepted. */
async function openConnections(url: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(250, count - sockets.length) }, () =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    )
    for (const socket of some) socket.on('error', () => undefined).resume()
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    sockets.push(...some)
  }
  return sockets
}

async function measureMemory(web: WebProcess): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(web.logged()[0]?.pid)])
  return Number(stdout) * 1_024
}

/** Returns the limit of open files of this process; undefined if there is none. */
async function findFileLimit(): Promise<number | undefined> {
  const { stdout } = await run('sh', ['-c', 'ulimit -Hn'])
  return Number(stdout) || undefined // not a number if unlimited
}

const kinds = {
  silent: '',
  slow: 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: ',
  keptAlive: 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
}

test('idle connections and connections that send headers slowly do not delay uploads', {
  timeout: 240_000,
}, async ({ skip }) => {
  const files = await findFileLimit()
  if (files !== undefined && files < CONNECTIONS + 500)
    skip(`${CONNECTIONS} connections need more open files than this system's limit of ${files}`)
  await using stack = await startTestStack()
  const web = await stack.startWeb()
  const uploadOne = async () => {
    const startedAt = performance.now()
    expect((await upload(web.url, stack.tenant.uploaderKey, anUpload())).status).toBe(200)
    return performance.now() - startedAt
  }
  // more than are sent below: they too make the heap grow
  for (let n = 0; n < 150; n++) await uploadOne()
  const before = await measureMemory(web)

  const sockets = await openConnections(web.url, CONNECTIONS)
  const openedAt = performance.now()
  const groups = Object.values(kinds).map((bytes, kind) => {
    const group = sockets.filter((_, n) => n % 3 === kind)
    for (const socket of group) if (bytes) socket.write(bytes)
    return group
  })
  const [silent = [], slow = [], keptAlive = []] = groups
  await Promise.all(keptAlive.map((socket) => socket.bytesRead > 0 || once(socket, 'data')))
  const trickle = setInterval(() => {
    for (const socket of slow) if (!socket.destroyed) socket.write('a')
  }, 3_000)
  try {
    const times: number[] = []
    for (let n = 0; n < 100; n++) times.push(await uploadOne())
    const slowest = Math.max(...times)
    expect(slowest).toBeLessThan(1_000)
    const grownBytes = (await measureMemory(web)) - before
    expect(grownBytes).toBeLessThan(CONNECTIONS * MAX_BYTES_EACH + MAX_HEAP_GROWTH)
    expect(performance.now() - openedAt).toBeLessThan(20_000)
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])

    if (isLong) {
      // connections without a request are closed after 20 s, idle keep-alive connections after 65 s
      const open = (group: readonly Socket[]) => group.filter(({ destroyed }) => !destroyed).length
      while (open([...silent, ...slow]) > 0 && performance.now() - openedAt < 30_000) await delay(100)
      expect([open(silent), open(slow), open(keptAlive)]).toEqual([0, 0, keptAlive.length])
      await uploadOne()
      while (open(keptAlive) > 0 && performance.now() - openedAt < 90_000) await delay(100)
      expect(open(keptAlive)).toBe(0)
    }
    expect(web.logged().filter(({ level }) => level > 30)).toEqual([])
    const kilobytes = Math.round(grownBytes / CONNECTIONS / 1_024)
    const fault = `${CONNECTIONS} idle connections, ${kilobytes} KB each: an upload takes at most ${Math.round(slowest)} ms`
    recordResult({ fault, uploads: times.length, inputs: CONNECTIONS, lost: 0 })
  } finally {
    clearInterval(trickle)
    for (const socket of sockets) socket.destroy()
  }
})
