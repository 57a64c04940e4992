import { type Html, html } from '../http/html.ts'
import { presentNumber, presentSeconds, presentTime } from './formats.ts'
import { facts, layOut, table } from './layout.ts'
import type { JobSummary, QueueSnapshot } from './read-queue.ts'

/** What the queue holds, and where it is. */
export const describeQueue = (store: 'Redis' | 'Postgres'): string =>
  `Batches of datasets, on ${store}. Jobs hold references only; the datasets are in Postgres.`

/** Renders the queue as a page. */
export const presentQueue = (
  queue: QueueSnapshot,
  { store, now }: { store: 'Redis' | 'Postgres'; now: Date },
): string =>
  layOut({
    title: 'Queue',
    path: '/ops/queue',
    content: html`<p>${describeQueue(store)}</p>
<p class="note">As of ${presentTime(now)}. <a href="/ops/queue">Refresh</a></p>
${presentCounts(queue)}
${section('Active', queue.active, queue.counts.active, now)}
${section('Waiting', queue.waiting, queue.counts.waiting + queue.counts.prioritized, now)}
${section('Failed', queue.failed, queue.counts.failed, now)}`,
  })

export const presentCounts = ({ counts, workers }: QueueSnapshot): Html =>
  facts([
    ['Waiting', presentNumber(counts.waiting + counts.prioritized)],
    ['Active', presentNumber(counts.active)],
    ['Delayed (to be retried)', presentNumber(counts.delayed)],
    ['Failed', presentNumber(counts.failed)],
    ...(workers === undefined ? [] : ([['Workers connected', presentNumber(workers)]] as const)),
  ])

function section(title: string, jobs: readonly JobSummary[], total: number, now: Date): Html {
  const shown =
    total > jobs.length
      ? html` <span class="note">(${jobs.length} of ${presentNumber(total)})</span>`
      : undefined
  return html`<h2>${title}${shown}</h2>
${table(
  `${title} jobs`,
  [
    { head: 'Job', cell: ({ id }) => id },
    { head: 'Datasets', cell: ({ datasets }) => datasets, kind: 'number' },
    { head: 'Subscriptions', cell: ({ subscriptions }) => subscriptions, kind: 'number' },
    { head: 'Attempts', cell: ({ attempts }) => attempts, kind: 'number' },
    { head: 'Enqueued', cell: ({ enqueuedAt }) => presentTime(enqueuedAt) },
    {
      head: 'Age',
      cell: ({ enqueuedAt }) => presentSeconds((now.getTime() - enqueuedAt.getTime()) / 1_000),
      kind: 'number',
    },
    { head: 'Started', cell: ({ startedAt }) => (startedAt ? presentTime(startedAt) : '–') },
    { head: 'Error', cell: ({ failedReason }) => failedReason ?? '–', kind: 'reason' },
  ],
  jobs,
)}`
}
