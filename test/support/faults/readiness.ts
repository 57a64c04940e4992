import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { call } from '../client.ts'
import type { StartedProcess, WebProcess } from '../start-process.ts'

/** Resolves when web is ready. */
export async function untilReady(web: WebProcess, ms: number): Promise<void> {
  for (const deadline = performance.now() + ms; ; await delay(50)) {
    const { status, body } = await call(web.url, 'GET', '/readyz')
    if (status === 200) return
    if (performance.now() > deadline) throw new Error(`Not ready after ${ms} ms: ${JSON.stringify(body)}`)
  }
}

/** Expects web to be alive but not ready, and to report the unavailable stores. */
export async function expectNotReady(web: WebProcess, ...missing: string[]): Promise<void> {
  expect((await call(web.url, 'GET', '/healthz')).status).toBe(200)
  const { status, body } = await call(web.url, 'GET', '/readyz')
  expect(status).toBe(503)
  expect(Object.keys(body.errors)).toEqual(missing)
}

/** Expects a process to print only log entries, at most 4 with each of the messages. */
export function expectQuiet(process: StartedProcess, ...messages: string[]): void {
  const lines = process.output().trimEnd().split('\n')
  expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
  for (const message of messages) {
    const entries = process.logged().filter(({ msg }) => msg === message)
    if (entries.length > 4)
      throw new Error(`Too many log entries ${message}: ${JSON.stringify(entries, null, 1)}`)
  }
}
