import { randomBytes } from 'node:crypto'
import { openCollections } from '../../db/collections/open-collections.ts'
import { createSiteKey } from '../../db/collections/site-keys.ts'
import type { Bench } from './bench.ts'
import { expectNoFailure } from './expect-all-accepted.ts'
import type { System } from './open-system.ts'

/** Time between two segments of a browser. */
const SEGMENT_MS = 5_000
const ORIGIN = 'https://shop.example'
const OPENED_AT_ONCE = 128

/**
 * Measures browsers that each send a segment every 5 s, and a backend that uploads meanwhile, one dataset at a time, compared with
 * the same backend alone.
 */
export async function measureCollect(bench: Bench, system: System): Promise<void> {
  const { samples, load, files, plan, printProgress } = bench
  const { browsers, ms } = plan.collect
  const { port } = system
  await system.pause()
  await system.reset()
  const single = (prefix: string) => ({
    port,
    requests: system.uploads(files.typical, prefix, system.rival),
    pace: { kind: 'closed', connections: 1, ms: ms / 2, pauseMs: 20 } as const,
  })
  const alone = await load.run(single('alone'))
  const segments = {
    port,
    requests: { kind: 'segments', collections: await openAll(system, browsers) } as const,
    pace: { kind: 'open', perSecond: (browsers / SEGMENT_MS) * 1_000, ms, connections: 256 } as const,
  }
  const [collected, beside] = await load.runTogether([segments, single('beside')])
  if (!collected || !beside) throw new Error('A load returned no result')
  for (const result of [alone, collected, beside]) expectNoFailure(system.name, result)
  samples.add('collect: perSecond', (collected.ok / collected.ms) * 1_000)
  samples.add('collect: p50Ms', collected.p50Ms)
  samples.add('collect: p99Ms', collected.p99Ms)
  samples.add('collect alone: uploadP50Ms', alone.p50Ms)
  samples.add('collect beside: uploadP50Ms', beside.p50Ms)
  printProgress(
    `collect: ${browsers} browsers, ${collected.ok} segments, p50 ${collected.p50Ms.toFixed(1)} ms, ` +
      `p99 ${collected.p99Ms.toFixed(1)} ms, ${collected.unsent} unsent; an upload's p50 ${beside.p50Ms.toFixed(1)} ms beside them, ` +
      `${alone.p50Ms.toFixed(1)} ms alone`,
  )
}

/** Opens collections in the tables, as limits by address would delay so many from one. @returns their public ids */
async function openAll({ db, tenant: { subscriptionId } }: System, count: number): Promise<string[]> {
  const created = await createSiteKey(db, {
    ...{
      subscriptionId,
      actor: { kind: 'operator', id: null, name: 'benchmark' },
      label: 'benchmark',
      level: 'claimed',
      origins: [ORIGIN],
    },
    ...{ modules: [], maxCollectionsPerDay: 10_000_000 },
  })
  if (created === 'limit') throw new Error('The subscription has too many site keys')
  const opened: string[] = []
  while (opened.length < count) {
    const outcomes = await openCollections(
      db,
      Array.from({ length: Math.min(OPENED_AT_ONCE, count - opened.length) }, () => ({
        ...{
          subscriptionId,
          siteKeyId: created.id,
          maxCollectionsPerDay: 10_000_000,
          level: 'claimed' as const,
        },
        ...{
          nonce: randomBytes(16).toString('base64url'),
          origin: ORIGIN,
          tokenId: null,
          referenceNumber: null,
        },
        ...{ additionalInfo: {}, deviceId: null, address: null, request: {} },
      })),
    )
    for (const one of outcomes) {
      if (one.outcome !== 'opened') throw new Error(`A collection was not opened: ${one.outcome}`)
      opened.push(one.collection.publicId)
    }
  }
  return opened
}
