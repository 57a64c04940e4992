import { deepStrictEqual } from 'node:assert'
import { DatasetInsight } from '../../api/insights/insight-schemas.ts'
import { callApi } from '../servers/call-api.ts'
import type { Bench } from './bench.ts'
import { expectAllReady } from './expect-all-accepted.ts'
import { referenceOf } from './load/load-plan.ts'
import type { System } from './open-system.ts'
import { waitUntilSettled } from './wait-until-settled.ts'

const SAMPLE = 20

/**
 * Uploads the same captures to both systems and checks that they return the same insights, so that they do the same work.
 *
 * @returns the median size of an insight in bytes.
 */
export async function expectSameInsights(bench: Bench): Promise<number> {
  const [inkling, textbook] = await Promise.all(bench.systems.map((system) => listInsights(bench, system)))
  deepStrictEqual(textbook?.insights, inkling?.insights, 'The two systems return different insights')
  return inkling?.bytes.toSorted((a, b) => a - b)[SAMPLE >> 1] ?? 0
}

async function listInsights(bench: Bench, system: System): Promise<{ insights: unknown[]; bytes: number[] }> {
  const [token = ''] = system.tenant.tokens
  await system.setWorkers(1)
  await system.reset()
  await system.resume()
  const uploads = system.uploads(bench.files.typical, 'same')
  await bench.load.run({
    port: system.port,
    requests: { ...uploads, ...(uploads.kind === 'uploads' && { thenReadBy: token }) },
    pace: { kind: 'closed', connections: 1, count: SAMPLE },
  })
  await waitUntilSettled(system)
  await expectAllReady(system, SAMPLE)
  const insights: unknown[] = []
  const bytes: number[] = []
  for (let n = 0; n < SAMPLE; n++) {
    const { status, text } = await callApi(`http://localhost:${system.port}`, {
      path: `/v6.0/datasets/${referenceOf('same', n)}/datasetinsight`,
      bearer: token,
      signal: AbortSignal.timeout(10_000),
    })
    if (status !== 200) throw new Error(`${system.name} returned ${status} for a read: ${text}`)
    bytes.push(Buffer.byteLength(text))
    const { scores, fragments, datasetInfo } = DatasetInsight.parse(JSON.parse(text))
    insights.push({ scores, fragments, source: datasetInfo.source })
  }
  return { insights, bytes }
}
