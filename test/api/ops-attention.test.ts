import { expect, test } from 'vitest'
import { findAttention } from '../../api/ops/find-attention.ts'
import type { Overview } from '../../api/ops/read-overview.ts'
import { rules } from '../support/deploy/expressions.ts'

const HEALTHY: Overview = {
  now: new Date(),
  drain: { datasets: 1, oldestSeconds: 0, settledPerSecond: 1, secondsToDrain: 1 },
  queue: undefined,
  role: { name: 'web', owner: 'owner', changesAudit: false },
  processes: [],
  elsewhere: { suspendedScorecards: 0, webhookSeconds: 0, removalSeconds: 0 },
  subscriptions: [],
  waitingAtLeast: false,
  nextAfterId: undefined,
  actions: [],
}

/** Sentences that a healthy service does not have. */
const foundIn = (changed: Partial<Overview>) => {
  const always = findAttention(HEALTHY)
  return findAttention({ ...HEALTHY, ...changed }).filter((sentence) => !always.includes(sentence))
}

/** The value above which a metric alerts. */
function thresholdOf(metric: string): number {
  const alerts = rules.flatMap(({ expr }) => new RegExp(`^max\\(${metric}\\) > (\\d+)$`).exec(expr) ?? [])
  return Number(alerts[1])
}

test.each([
  [
    'inkling_datasets_waiting_oldest_seconds',
    (oldestSeconds: number) => ({ drain: { ...HEALTHY.drain, oldestSeconds } }),
    'The oldest dataset has waited',
  ],
  [
    'inkling_webhook_waiting_seconds',
    (webhookSeconds: number) => ({ elsewhere: { ...HEALTHY.elsewhere, webhookSeconds } }),
    'A webhook has not received an event',
  ],
  [
    'inkling_captures_to_remove_oldest_seconds',
    (removalSeconds: number) => ({ elsewhere: { ...HEALTHY.elsewhere, removalSeconds } }),
    'A capture should have been removed',
  ],
])('the overview needs attention when the alert of %s fires, and not before', (metric, waitFor, sentence) => {
  const threshold = thresholdOf(metric)
  expect(foundIn(waitFor(threshold))).toEqual([])
  expect(foundIn(waitFor(threshold + 1))).toEqual([expect.stringContaining(sentence)])
})
