import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import type { Tenant } from '../support/service.ts'
import { killProcesses, type StartedProcess, startProcess } from '../support/start-process.ts'
import { openEmptyDatabase } from '../support/stores.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

const PROCESSES = 2

/** Long, so that an end within half of it waited for nothing, however slow the machine is. */
const DRAIN_SECONDS = 20

/** Time for a process to be replaced: a start takes 1 s alone, and several beside the processes of other test files. */
const REPLACED = { timeout: 40_000 }

/** Timeout after which a client retries its upload. */
const CLIENT_TIMEOUT_MS = 2_000

interface WebOfSeveral extends StartedProcess {
  readonly url: string
  readonly port: number
  readonly primaryPid: number
  /** Ids of the processes that listened, in this order. */
  pids(): number[]
}

let stack: TestStack
let tenant: Tenant
let env: Record<string, string>

beforeAll(async () => {
  stack = await startTestStack({
    env: { WEB_CONCURRENCY: String(PROCESSES), DRAIN_SECONDS: String(DRAIN_SECONDS) },
  })
  ;({ tenant, env } = stack)
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
})

describe('web with several processes', () => {
  test('listens on one port, responds from all processes, and drains them on SIGTERM', async () => {
    const web = await startSeveral()
    const ports = web.logged().flatMap(({ msg, port }) => (msg === 'listening' ? [port] : []))
    expect(ports).toEqual(Array.from({ length: PROCESSES }, () => web.port))

    const uploads = Array.from({ length: 4 * PROCESSES }, () =>
      upload(web.url, tenant.uploaderKey, anUpload()),
    )
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(uploads.map(() => 200))
    const answering = () => [
      ...new Set(web.logged().flatMap(({ msg, pid }) => (msg === 'request' ? [pid] : []))),
    ]
    await expect.poll(() => answering().toSorted()).toEqual(web.pids().toSorted()) // logged after the response
    expect(answering()).not.toContain(web.primaryPid)

    const ending = await web.end('SIGTERM')
    expect(ending).toMatchObject({ code: 0, signal: null })
    expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2)
    expect(countLogged(web, 'stopped')).toBe(PROCESSES + 1)
    expect(web.logged().at(-1)).toMatchObject({ msg: 'stopped', pid: web.primaryPid })
    expect(warningsOf(web)).toEqual([])
  })

  test('completes requests in flight when Ctrl-C reaches all processes and the primary signals them again', async () => {
    const web = await startSeveral()
    const { send, status } = await beginUpload(web)
    process.kill(-web.primaryPid, 'SIGINT')
    await web.waitForLog('draining')
    await untilRefused(web)
    send()
    expect(await status).toBe(200)
    expect(await web.ended).toMatchObject({ code: 0, signal: null })
    expect(warningsOf(web)).toEqual([])
  })

  test('replaces a killed process, its replacement after a longer pause, and all retried uploads succeed', async () => {
    const web = await startSeveral()
    const clients = Array.from({ length: 4 }, async () => {
      const statuses: number[] = []
      while (web.pids().length <= PROCESSES) {
        const body = anUpload()
        statuses.push(await retry(async () => (await upload(web.url, tenant.uploaderKey, body)).status))
        await sleep(20) // leaves processor time to the start of the replacement
      }
      return statuses
    })
    await sleep(200)
    const killed = signalProcess(web, 0, 'SIGKILL')
    const statuses = (await Promise.all(clients)).flat()
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(warningsOf(web)).toMatchObject([
      {
        msg: 'a process exited and will be replaced',
        ended: killed,
        code: null,
        signal: 'SIGKILL',
        pauseMs: 1_000,
      },
    ])
    await expect.poll(() => countLogged(web, 'all processes listen'), REPLACED).toBe(2)
    expect(new Set(web.logged().flatMap(({ port }) => port ?? []))).toEqual(new Set([web.port]))

    // it pauses longer before replacing a replacement
    signalProcess(web, 2, 'SIGTERM') // it drains, and still has to be replaced
    await expect.poll(() => warningsOf(web).length, REPLACED).toBe(2)
    expect(warningsOf(web).at(1)).toMatchObject({ pauseMs: 2_000, code: 0, signal: null })
    const started = web.pids()
    const ending = await web.end('SIGTERM') // during the pause
    expect(ending).toMatchObject({ code: 0 })
    expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2)
    expect(web.pids()).toEqual(started)
  })

  test('completes requests and leaves no process behind when the primary is killed', async () => {
    const web = await startSeveral()
    const { send, status } = await beginUpload(web)
    process.kill(web.primaryPid, 'SIGKILL')
    await web.waitForLog('draining')
    send()
    expect(await status).toBe(200)
    expect(await web.ended).toMatchObject({ signal: 'SIGKILL' }) // every process that shared its stdout has exited
    expect(countLogged(web, 'stopped')).toBe(PROCESSES)
  })

  test('ends within DRAIN_SECONDS even if a process is stuck', async () => {
    const web = await startSeveral({ DRAIN_SECONDS: '1' })
    signalProcess(web, 1, 'SIGSTOP')
    const ending = await web.end('SIGTERM')
    expect(ending).toMatchObject({ code: 1, signal: null })
    expect(ending.ms).toBeLessThan(5_000) // it never ends by itself
    expect(warningsOf(web)).toMatchObject([{ msg: 'not done within DRAIN_SECONDS', pid: web.primaryPid }])
  })

  test('reports once that its database is not migrated, and exits', async () => {
    const empty = await openEmptyDatabase()
    const web = startProcess('web', { ...env, DATABASE_URL: empty.url })
    expect(await web.ended).toMatchObject({ code: 1 })
    expect(web.logged()).toMatchObject([{ level: 60, msg: expect.stringContaining('is not migrated') }])
    await empty.drop()
  })

  test('reports every invalid variable once', async () => {
    const web = startProcess('web', { ...env, DATABASE_URL: '' })
    expect(await web.ended).toMatchObject({ code: 1 })
    expect(web.output()).toBe('The environment is not usable:\n  DATABASE_URL: is required\n')
  })
})

test.each([1, PROCESSES])('web of size %d reports a port in use once, and exits', async (processes) => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const web = startProcess('web', { ...env, WEB_CONCURRENCY: String(processes), PORT: String(port) })
  expect(await web.ended).toMatchObject({ code: 1 })
  expect(web.logged()).toMatchObject([{ level: 60, msg: `Cannot listen on port ${port}` }])
  expect(web.output()).toContain('EADDRINUSE')
  other.close()
})

test('web with one process has no primary', async () => {
  const web = startProcess('web', { ...env, WEB_CONCURRENCY: '1' })
  await web.waitForLog('listening')
  expect(await web.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(web.logged().map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped'])
  expect(new Set(web.logged().map(({ pid }) => pid)).size).toBe(1)
})

/** Starts web and waits until all of its processes listen. */
async function startSeveral(more: Record<string, string> = {}): Promise<WebOfSeveral> {
  const web = startProcess('web', { ...env, ...more })
  const { pid, port, processes } = await web.waitForLog('all processes listen')
  expect(processes).toBe(PROCESSES)
  const pids = () => web.logged().flatMap(({ msg, pid }) => (msg === 'listening' ? [Number(pid)] : []))
  await expect.poll(() => pids().length).toBe(PROCESSES) // the primary may log first
  return { ...web, url: `http://127.0.0.1:${port}`, port: Number(port), primaryPid: Number(pid), pids }
}

/** Sends a signal to one of the processes that listened; returns its id. */
function signalProcess(web: WebOfSeveral, index: number, signal: NodeJS.Signals): number {
  const pid = web.pids()[index]
  if (pid === undefined) throw new Error(`Only ${web.pids().length} processes listened`) // 0 would signal the tests too
  process.kill(pid, signal)
  return pid
}

const countLogged = (web: StartedProcess, message: string) =>
  web.logged().filter(({ msg }) => msg === message).length

const warningsOf = (web: StartedProcess) => web.logged().filter(({ level }) => level >= 40)

/** Sends an upload without its last part, which `send` sends. */
async function beginUpload(web: WebOfSeveral): Promise<{ send: () => void; status: Promise<number> }> {
  const body = JSON.stringify(anUpload())
  const sending = request(`${web.url}/api/datasets/v1/upload`, {
    method: 'POST',
    agent: new Agent(),
    headers: {
      Authorization: `Bearer ${tenant.uploaderKey}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  })
  const status = once(sending, 'response').then(([response]) => response.resume().statusCode)
  await new Promise<void>((resolve) => sending.write(body.slice(0, 50), () => resolve()))
  await sleep(200) // a process has received it by now
  return { send: () => sending.end(body.slice(50)), status }
}

/** Retries until an attempt succeeds within the client timeout. */
async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    const late = new AbortController()
    const answer = await Promise.race([
      attempt().catch(() => undefined),
      sleep(CLIENT_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ])
    late.abort()
    if (answer !== undefined) return answer
  }
}

/** Resolves once connections are refused. Before that, some are accepted and closed without a response. */
async function untilRefused({ port }: WebOfSeveral): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const refused = await once(socket, 'connect').then(
      () => false,
      (error) => error.code === 'ECONNREFUSED',
    )
    socket.destroy()
    if (refused) return
  }
}
