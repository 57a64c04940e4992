import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Velocity } from '../../../db/capture/velocity-counts.ts'
import type { ClaimedDataset } from '../../../db/datasets/outbox.ts'
import { type ClaimedCapture, computeBatch } from '../../../worker/batches/compute-batch.ts'
import type { Deployment } from '../../../worker/batches/deployments.ts'
import { CaptureError } from '../../../worker/capture/capture-error.ts'
import { decodeCapture } from '../../../worker/capture/decode-capture.ts'
import { extractCapture } from '../../../worker/capture/extract-capture.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import { aCapture } from '../../support/captures.ts'
import { aScorecard } from '../../support/scorecards.ts'

const windows = { '10m': 1, '1h': 1, '24h': 2, '7d': 2, '30d': 2 }
const velocity: Velocity = { device: { datasets: 2, windows, clients: null }, client: null }

const definition = aScorecard()
const deployment: Deployment = {
  scorecards: (['champion', 'challenger'] as const).map((stage) => ({
    ...{ code: 'card', version: stage, stage, platforms: definition.platforms },
    scorecard: compileScorecard(definition),
  })),
  fragments: [{ subscriptionId: 1, code: 'device', kind: 'device_info' }],
}

const aClaim = (id: number, members: Partial<ClaimedDataset> = {}): ClaimedDataset => ({
  ...{ subscriptionId: 1, id, additionalInfo: {}, velocity: null, ready: false, fresh: true },
  ...{ uploadedAt: '2026-11-20T08:15:30.123456Z', waitedMs: 12 },
  ...members,
})

function aDecoded(claim: ClaimedDataset, members: Record<string, unknown> = {}): ClaimedCapture {
  const capture = decodeCapture(gzipSync(JSON.stringify(aCapture(members))))
  const extracted = extractCapture(capture, { uploadedAt: new Date(claim.uploadedAt), realIp: null })
  return { claim, extracted, velocity, deployment }
}

test('a decoded dataset becomes ready, with its insight and its scores', () => {
  const { insights, settlements, scored } = computeBatch([
    aDecoded(aClaim(7, { additionalInfo: { term: '12' } }), { contacts: { count: 5 }, device: { id: 'd' } }),
  ])
  const [insight] = insights
  expect(insight).toMatchObject({ subscriptionId: 1, id: 7 })
  expect(JSON.parse(insight?.scores ?? '')).toMatchObject([{ code: 'card', value: 580 }])
  expect(JSON.parse(insight?.explanations ?? '')).toMatchObject([{ version: 'champion', value: 580 }])
  expect(JSON.parse(insight?.shadow ?? '')).toMatchObject([{ version: 'challenger', value: 580 }])
  expect(JSON.parse(insight?.features ?? '')).toMatchObject({
    ...{ contacts_count: 5, info_keys_count: 1, velocity_device_24h: 2 },
  })
  expect(JSON.parse(insight?.fragments ?? '')).toMatchObject([{ code: 'device', value: { deviceID: 'd' } }])
  expect(settlements).toEqual([
    { subscriptionId: 1, id: 7, platform: 'android', deviceId: 'd', velocity, invalid: null, ready: false },
  ])
  expect(scored).toMatchObject([
    { subscriptionId: 1, scored: [{ stage: 'champion' }, { stage: 'challenger' }] },
  ])
})

test('invalid data becomes invalid with its reason, keeps what was counted, and changes no neighbour', () => {
  const neighbours = [aDecoded(aClaim(1)), aDecoded(aClaim(3))]
  const invalid = new CaptureError('not_json', 'broken \0 \ud800')
  const [first, second] = neighbours as [ClaimedCapture, ClaimedCapture]
  const batch = computeBatch([first, { claim: aClaim(2, { velocity }), invalid }, second])
  expect(batch.settlements.map(({ id, invalid }) => [id, invalid?.code])).toEqual([
    [1, undefined],
    [2, 'not_json'],
    [3, undefined],
  ])
  expect(batch.settlements[1]).toMatchObject({
    ...{ platform: null, deviceId: null, velocity },
    invalid: { detail: 'broken \ufffd \ufffd' },
  })
  expect(batch.insights).toEqual(computeBatch(neighbours).insights)
})

test('a recalculated dataset has an insight, but its scores are not reported again', () => {
  const { insights, settlements, scored } = computeBatch([aDecoded(aClaim(1, { ready: true, fresh: false }))])
  expect(insights).toHaveLength(1)
  expect(settlements).toMatchObject([{ ready: true, invalid: null }])
  expect(scored).toEqual([])
})

test('the same input gives the same output, and is not changed', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value))
      for (const member of Object.values(Object.freeze(value))) freeze(member)
    return value
  }
  const input = freeze([1, 2, 3].map((id) => aDecoded(aClaim(id))))
  expect(computeBatch(input)).toEqual(computeBatch(input))
  expect(computeBatch([])).toEqual({ insights: [], settlements: [], scored: [] })
})
