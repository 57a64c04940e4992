import { MAX_COUNTED } from '../../db/monitoring/drain-time.ts'
import type { ServiceProcess } from '../../db/monitoring/processes.ts'
import { type Html, html } from '../http/html.ts'
import { findAttention } from './find-attention.ts'
import {
  presentBytes,
  presentCount,
  presentNumber,
  presentRate,
  presentSeconds,
  presentTime,
  presentUse,
} from './formats.ts'
import { facts, layOut, table } from './layout.ts'
import { presentActions } from './present-actions.ts'
import { describeQueue, presentCounts } from './present-queue.ts'
import { type Overview, RATE_MINUTES, type SubscriptionLine } from './read-overview.ts'

/** Renders the overview. @param store that holds the queue. */
export function presentOverview(overview: Overview, store: 'Redis' | 'Postgres'): string {
  const { now, drain, queue, role, processes, actions } = overview
  const names = new Map(overview.subscriptions.map(({ id, name }) => [id, name]))
  return layOut({
    title: 'Overview',
    path: '/ops',
    content: html`<p class="note">As of ${presentTime(now)}. <a href="/ops">Refresh</a></p>
${presentAttention(findAttention(overview))}
${facts([
  ['Datasets waiting', presentCount(drain.datasets, drain.datasets >= MAX_COUNTED)],
  ['Oldest has waited', presentSeconds(drain.oldestSeconds)],
  ['Processed per second', presentRate(drain.settledPerSecond)],
  ['Time to drain', drain.secondsToDrain === null ? 'unknown' : presentSeconds(drain.secondsToDrain)],
])}
<h2>Subscriptions</h2>
${presentSubscriptions(overview)}
<h2>Processes</h2>
${presentProcesses(processes)}
<p class="note">Processes that have used Postgres in the last half minute.${
      role.changesAudit
        ? undefined
        : html` Role of web in Postgres: ${role.name}, which can change neither tables nor the audit log.`
    }</p>
<h2>Queue</h2>
<p>${describeQueue(store)} <a href="/ops/queue">List the jobs</a></p>
${queue ? presentCounts(queue) : html`<p>${store} is unavailable.</p>`}
<h2>Recent actions</h2>
<p class="note">Of operators and of the service, among the newest 100 events of each subscription above.</p>
${presentActions(actions, names)}`,
  })
}

const presentAttention = (sentences: readonly string[]): Html =>
  sentences.length === 0
    ? html`<h2>Needs attention</h2>
<p class="note">Nothing</p>`
    : html`<h2>Needs attention</h2>
<ul class="attention">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`

function presentSubscriptions({ subscriptions, waitingAtLeast, nextAfterId }: Overview): Html {
  const perMinute = (count: number) => presentRate(count / RATE_MINUTES)
  const next = nextAfterId === undefined ? undefined : html`<a href="/ops?after=${nextAfterId}">Next page</a>`
  return html`${table<SubscriptionLine>(
    'Subscriptions',
    [
      { head: 'Subscription', cell: ({ id, name }) => html`<a href="/ops/subscriptions/${id}">${name}</a>` },
      { head: 'State', cell: stateOf },
      { head: 'Uploads/min', cell: ({ recent }) => perMinute(recent.uploads), kind: 'number' },
      { head: 'Processed/min', cell: ({ recent }) => perMinute(recent.settled), kind: 'number' },
      { head: 'Invalid/min', cell: ({ recent }) => perMinute(recent.invalid), kind: 'number' },
      {
        head: 'Waiting',
        cell: ({ waiting }) => presentCount(waiting.datasets, waitingAtLeast),
        kind: 'number',
      },
      {
        head: 'Oldest',
        cell: ({ waiting: { oldestSeconds } }) =>
          oldestSeconds === null ? '–' : presentSeconds(oldestSeconds),
        kind: 'number',
      },
      {
        head: 'Overdue',
        cell: ({ waiting }) => presentCount(waiting.overdue, waitingAtLeast),
        kind: 'number',
      },
      {
        head: 'Datasets today',
        cell: ({ use, limits }) => ofLimit(use.datasets, limits.datasetsPerDay, presentNumber),
        kind: 'number',
      },
      {
        head: 'Stored',
        cell: ({ use, limits }) => ofLimit(use.bytes, limits.bytesStored, presentBytes),
        kind: 'number',
      },
    ],
    subscriptions,
  )}
<p class="note">Rates are averages of the last ${RATE_MINUTES} minutes. Stored bytes are those of captures. ${next}</p>`
}

const ofLimit = (used: number, limit: number | null, present: (number: number) => string) =>
  limit === null ? present(used) : presentUse(used, limit, present)

/** Describes the state of a subscription. */
export const stateOf = ({
  suspended,
  deleted,
  testOf,
}: Pick<SubscriptionLine, 'suspended' | 'deleted' | 'testOf'>): string =>
  `${deleted ? 'deleted' : suspended ? 'suspended' : 'active'}${testOf === null ? '' : ', test mode'}`

const presentProcesses = (processes: readonly ServiceProcess[]): Html =>
  table(
    'Processes',
    [
      { head: 'Process', cell: ({ kind, id }) => (kind === null ? 'not named' : `${kind} ${id}`) },
      { head: 'Version', cell: ({ version }) => version ?? '–' },
      { head: 'Schema', cell: ({ schema }) => schema ?? '–' },
      { head: 'Address', cell: ({ address }) => address ?? '–' },
      { head: 'Oldest session', cell: ({ since }) => (since ? presentTime(since) : '–') },
      { head: 'Sessions', cell: ({ sessions }) => sessions, kind: 'number' },
      { head: 'Busy', cell: ({ busy }) => busy, kind: 'number' },
    ],
    processes,
  )
