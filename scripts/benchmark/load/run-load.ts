import { setTimeout as delay } from 'node:timers/promises'
import { type HttpConnection, openHttpConnection } from './http-connection.ts'
import { Latencies } from './latencies.ts'
import type { LoadPlan, LoadResult, Pace } from './load-plan.ts'
import { openRequests } from './open-requests.ts'

/** Time to wait for responses after the end of an open load. */
const PATIENCE_MS = 10_000

/** Interval between checks for arrived requests. */
const TICK_MS = 1

/** Runs a load plan and returns the results. */
export async function runLoad({ port, requests, pace }: LoadPlan): Promise<LoadResult> {
  const write = openRequests(requests)
  const tally = openTally()
  const connections = Array.from({ length: pace.connections }, () => openHttpConnection(port))
  const send = async (connection: HttpConnection, n: number, since: number) => {
    try {
      let status = 0
      for (const written of write(n)) {
        status = await connection.request(written)
        if (status !== 200) break
      }
      tally.count(status, performance.now() - since)
    } catch (error) {
      tally.lose(error)
    }
  }
  // like a proxy's pool: an open load does not measure how fast connections are accepted
  if (pace.kind === 'open') for (const connection of connections) await connection.connect()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  try {
    const left =
      pace.kind === 'open'
        ? await runOpen(pace, connections, send, tally.wait)
        : await runClosed(pace, connections, send)
    const ms = performance.now() - startedAt
    const { user, system } = process.cpuUsage(cpuBefore)
    return { ...tally.summarise(), ...left, ms, ownCores: (user + system) / 1_000 / ms }
  } finally {
    for (const connection of connections) connection.close()
  }
}

type Send = (connection: HttpConnection, n: number, since: number) => Promise<void>

async function runClosed(
  {
    ms = Number.POSITIVE_INFINITY,
    count = Number.POSITIVE_INFINITY,
    pauseMs = 0,
  }: Extract<Pace, { kind: 'closed' }>,
  connections: readonly HttpConnection[],
  send: Send,
): Promise<{ unsent: number; unanswered: number }> {
  let next = 0
  const deadline = performance.now() + ms
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count && performance.now() < deadline) {
        await send(connection, next++, performance.now())
        if (pauseMs > 0) await delay(pauseMs)
      }
    }),
  )
  return { unsent: 0, unanswered: 0 }
}

/** @returns the number of requests that found no free connection and of those without a response. */
async function runOpen(
  { perSecond, ms }: Extract<Pace, { kind: 'open' }>,
  connections: readonly HttpConnection[],
  send: Send,
  wait: (ms: number) => void,
): Promise<{ unsent: number; unanswered: number }> {
  const free = [...connections]
  const sending = new Map<number, number>()
  let [next, unsent] = [0, 0]
  const startedAt = performance.now()
  const endsAt = startedAt + ms
  let arrivesAt = startedAt

  const serve = async (connection: HttpConnection, n: number, since: number) => {
    sending.set(n, since)
    await send(connection, n, since)
    sending.delete(n)
    free.push(connection)
  }

  for (let now = startedAt; now < endsAt; now = performance.now()) {
    for (; arrivesAt <= now; arrivesAt += (-Math.log(1 - Math.random()) * 1_000) / perSecond) {
      const connection = free.pop()
      if (connection) void serve(connection, next++, arrivesAt)
      else unsent++
    }
    await delay(TICK_MS)
  }
  for (const giveUpAt = endsAt + PATIENCE_MS; sending.size > 0 && performance.now() < giveUpAt; )
    await delay(5)
  for (const since of sending.values()) wait(performance.now() - since)
  return { unsent, unanswered: sending.size }
}

function openTally() {
  const latencies = new Latencies()
  const failed: Record<string, number> = {}
  let ok = 0
  let shed = 0
  return {
    count(status: number, ms: number) {
      if (status === 200) {
        ok++
        latencies.add(ms)
      } else if (status === 503) shed++
      else failed[status] = (failed[status] ?? 0) + 1
    },
    lose(error: unknown) {
      const name = error instanceof Error ? error.message : String(error)
      failed[name] = (failed[name] ?? 0) + 1
    },
    wait: (ms: number) => latencies.add(ms),
    summarise: () => ({ ok, shed, failed, ...latencies.summarise() }),
  }
}
