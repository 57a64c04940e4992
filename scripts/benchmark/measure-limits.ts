import { setTimeout as delay } from 'node:timers/promises'
import { MAX_LIMIT, MAX_REQUESTS } from '../../db/limits/default-limits.ts'
import { changeLimits, WHOLE } from '../../db/limits/limits.ts'
import type { Bench } from './bench.ts'
import { expectAllAccepted } from './expect-all-accepted.ts'
import { CONNECTIONS } from './measure-accept.ts'
import type { System } from './open-system.ts'
import { readCpuMs } from './peak-memory.ts'

/** All limits of a subscription and its keys, too high to be reached. */
const HIGH = {
  ...{ requestsPerSecond: MAX_REQUESTS, burst: MAX_REQUESTS },
  ...{ datasetsPerDay: MAX_LIMIT, bytesStored: MAX_LIMIT },
}
const OFF = { requestsPerSecond: 0, burst: 0, datasetsPerDay: 0, bytesStored: 0 }

/** Sends uploads in pairs of runs, with all limits and without any, each of which goes first in turn. */
export async function measureLimits(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  for (let pair = 0; pair < plan.limitPairs; pair++)
    for (const limits of pair % 2 === 0 ? (['off', 'set'] as const) : (['set', 'off'] as const)) {
      await system.pause()
      await system.reset()
      await setLimits(system, limits === 'set')
      const cpuBefore = readCpuMs(`${system.name}-web`)
      const result = await load.run({
        port: system.port,
        requests: system.uploads(files.typical, 'limits'),
        pace: { kind: 'closed', connections: CONNECTIONS, ms: plan.acceptMs },
      })
      const webMs = (readCpuMs(`${system.name}-web`) - cpuBefore) / result.ok
      await expectAllAccepted(system, result)
      const perSecond = (result.ok / result.ms) * 1_000
      samples.add(`limits ${limits}: perSecond`, perSecond)
      samples.add(`limits ${limits}: p50Ms`, result.p50Ms)
      samples.add(`limits ${limits}: p99Ms`, result.p99Ms)
      samples.add(`limits ${limits}: webMs`, webMs)
      printProgress(
        `limits ${limits}: ${Math.round(perSecond)}/s, p50 ${result.p50Ms.toFixed(1)} ms, web ${webMs.toFixed(3)} ms an upload`,
      )
    }
  await setLimits(system, false)
}

/** Sets the limits of the uploader, and waits until web applies them. */
async function setLimits({ db, port, tenant }: System, isLimited: boolean): Promise<void> {
  const { subscriptionId, uploaderKey } = tenant
  const keys: number[] = await db('api_keys').where({ subscription_id: subscriptionId }).pluck('id')
  const actor = { kind: 'operator', id: null, name: 'benchmark' } as const
  for (const keyId of [WHOLE, ...keys])
    await changeLimits(db, { subscriptionId, keyId, actor, change: isLimited ? HIGH : OFF })
  for (;;) {
    const { headers } = await fetch(`http://localhost:${port}/api/datasets/v1/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${uploaderKey}` },
    })
    if (headers.has('ratelimit') === isLimited) return
    await delay(200)
  }
}
