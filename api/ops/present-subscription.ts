import type { Limits } from '../../db/limits/default-limits.ts'
import { type Html, html } from '../http/html.ts'
import {
  presentBytes,
  presentCount,
  presentNumber,
  presentSeconds,
  presentTime,
  presentUse,
} from './formats.ts'
import { facts, layOut, table } from './layout.ts'
import { OPS_ACTIONS, type OpsActionName, possibleActions } from './ops-actions.ts'
import { presentActions } from './present-actions.ts'
import { stateOf } from './present-overview.ts'
import type { SubscriptionState } from './read-subscription.ts'

/**
 * Renders a subscription.
 *
 * @param done what an action has just done, as a sentence, and the address that continues it.
 * @param mayAct whether the operator has an account, under which actions are recorded.
 */
export function presentSubscription(
  state: SubscriptionState,
  { done, mayAct }: { done: { text: string; continueAt?: string } | undefined; mayAct: boolean },
): string {
  const { now, subscription, waiting, invalid, day, stored, actions } = state
  const { id, name } = subscription
  return layOut({
    title: name,
    content: html`<p class="note">Subscription ${id}, ${stateOf(subscription)}, since ${presentTime(subscription.createdAt)}. As of ${presentTime(now)}.
<a href="/ops/subscriptions/${id}">Refresh</a> ${linkToOther(state)}</p>
${done && html`<div role="status"><p>${done.text} ${done.continueAt && html`<a href="${done.continueAt}">Continue</a>`}</p></div>`}
${facts([
  ['Waiting', presentCount(waiting.datasets, waiting.atLeast)],
  ['Oldest', waiting.oldestSeconds === null ? '–' : presentSeconds(waiting.oldestSeconds)],
  ['Overdue', presentCount(waiting.overdue, waiting.atLeast)],
  ['To be processed again', presentCount(waiting.again, waiting.atLeast)],
  ['Invalid', presentCount(invalid.datasets, invalid.atLeast)],
  ['Uploads in 24 hours', presentNumber(day.uploads)],
  ['Stored captures', presentBytes(stored.bytes)],
])}
<h2>Actions</h2>
${mayAct ? linkActions(state) : html`<p>Sign in with an account of your own to change something: what you do is recorded under its name.</p>`}
<h2>Limits and storage</h2>
${presentLimits(state)}
<h2>Invalid datasets by error code</h2>
${table(
  'Invalid datasets by error code',
  [
    { head: 'Error code', cell: ({ reason }) => reason },
    { head: 'Datasets', cell: ({ datasets }) => presentNumber(datasets), kind: 'number' },
  ],
  invalid.reasons,
)}
<h2>Last 24 hours</h2>
${presentHours(state)}
<h2>Recent actions</h2>
<p class="note">Of operators and of the service, among the newest 1,000 events.</p>
${presentActions(actions)}`,
  })
}

function linkToOther({ subscription: { testOf }, testId }: SubscriptionState): Html | undefined {
  if (testOf !== null) return html`<a href="/ops/subscriptions/${testOf}">Subscription of this test mode</a>`
  return testId === undefined ? undefined : html`<a href="/ops/subscriptions/${testId}">Test mode</a>`
}

const linkActions = ({ subscription }: SubscriptionState): Html => {
  const link = (action: OpsActionName) =>
    html`<li><a href="/ops/subscriptions/${subscription.id}/${action}">${OPS_ACTIONS[action].label}</a></li>`
  const possible = possibleActions(subscription)
  return possible.length === 0
    ? html`<p class="note">None: the subscription is being deleted</p>`
    : html`<ul class="actions">${possible.map(link)}</ul>`
}

function presentLimits({ use, limits, stored, retention }: SubscriptionState): Html {
  const days = (count: number | null) => (count === null ? 'indefinitely' : `${presentNumber(count)} days`)
  return table(
    'Limits and storage',
    [
      { head: 'What', cell: ([name]) => name },
      { head: 'Value', cell: ([, value]) => value },
    ],
    [
      ['Requests per second', presentRequests(limits)],
      ['Requests today (UTC)', presentNumber(use.requests)],
      ['Datasets today (UTC)', presentUse(use.datasets, limits.datasetsPerDay)],
      ['Stored captures', presentUse(stored.bytes, limits.bytesStored, presentBytes)],
      ['Measured', stored.measuredAt ? presentTime(stored.measuredAt) : 'not yet'],
      ['Datasets are stored for', days(retention.days)],
      ['Captures are stored for', days(retention.blobDays)],
    ],
  )
}

const presentRequests = ({ requests }: Limits) =>
  requests === null
    ? 'no limit'
    : `${presentNumber(requests.perSecond)}, ${presentNumber(requests.burst)} at once`

const presentHours = ({ hours }: SubscriptionState): Html =>
  table(
    'Last 24 hours',
    [
      { head: 'Hour (UTC)', cell: ({ at }) => at.toISOString().slice(5, 13).replace('T', ' ') },
      { head: 'Uploads', cell: ({ uploads }) => presentNumber(uploads), kind: 'number' },
      { head: 'Ready', cell: ({ ready }) => presentNumber(ready), kind: 'number' },
      { head: 'Invalid', cell: (hour) => presentNumber(hour.invalid), kind: 'number' },
      { head: 'Median ms to settled', cell: ({ latencyP50Ms }) => latencyP50Ms ?? '–', kind: 'number' },
      { head: '95th percentile ms', cell: ({ latencyP95Ms }) => latencyP95Ms ?? '–', kind: 'number' },
    ],
    hours,
  )
