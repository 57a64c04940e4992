import type { CurrentRole } from '../../db/roles/current-role.ts'
import type { JobSummary, QueueSnapshot } from './read-queue.ts'

/** Style sheet of the page; a file of its own, because the policy forbids inline styles. */
export const STYLE = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0 }
a { color: inherit }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.5rem 0 0 }
dt, .note, th { color: color-mix(in srgb, currentColor 72%, transparent) }
dd { font-size: 1.6rem; font-variant-numeric: tabular-nums; margin: 0 }
div.table { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top }
td { font-variant-numeric: tabular-nums }
td.reason { overflow-wrap: anywhere }
`

/**
 * Renders the queue as an HTML page for operators, escaped and without scripts.
 *
 * @param page.role of this process in Postgres; undefined while Postgres is unavailable.
 */
export function presentQueue(
  queue: QueueSnapshot,
  { store, role, now }: { store: 'Redis' | 'Postgres'; role: CurrentRole | undefined; now: Date },
): string {
  const { counts, workers } = queue
  const metrics = [
    ['Waiting', counts.waiting + counts.prioritized],
    ['Active', counts.active],
    ['Delayed (to be retried)', counts.delayed],
    ['Failed', counts.failed],
    ...(workers === undefined ? [] : ([['Workers connected', workers]] as const)),
  ] as const
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inkling: queue</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ops/style.css">
</head>
<body>
<main>
<h1>Queue</h1>
<p>Batches of datasets, on ${store}. Jobs hold references only; the datasets are in Postgres.</p>
${role ? `<p>${presentRole(role)}</p>\n` : ''}<p class="note">Read-only. As of ${present(now)}. <a href="/ops">Refresh</a></p>
<dl>${metrics.map(([name, count]) => `<div><dt>${name}</dt><dd>${count.toLocaleString('en')}</dd></div>`).join('')}</dl>
${section('Active', queue.active, counts.active, now)}
${section('Waiting', queue.waiting, counts.waiting + counts.prioritized, now)}
${section('Failed', queue.failed, counts.failed, now)}
</main>
</body>
</html>
`
}

const presentRole = ({ name, changesAudit }: CurrentRole) =>
  changesAudit
    ? `Warning: the role ${escapeHtml(name)} of web owns the tables in Postgres and can change the audit log: see “Two roles” in docs/operations/server.md.`
    : `Role of web in Postgres: ${escapeHtml(name)}, which can change neither tables nor the audit log.`

function section(title: string, jobs: readonly JobSummary[], total: number, now: Date): string {
  if (jobs.length === 0) return `<h2>${title}</h2>\n<p class="note">None</p>`
  const head = ['Job', 'Datasets', 'Subscriptions', 'Attempts', 'Enqueued', 'Age', 'Started', 'Error']
  const rows = jobs.map((job) => [
    job.id,
    String(job.datasets),
    String(job.subscriptions),
    String(job.attempts),
    present(job.enqueuedAt),
    `${Math.max(0, Math.round((now.getTime() - job.enqueuedAt.getTime()) / 1_000)).toLocaleString('en')} s`,
    job.startedAt === undefined ? '–' : present(job.startedAt),
    job.failedReason ?? '–',
  ])
  const shown =
    total > jobs.length ? ` <span class="note">(${jobs.length} of ${total.toLocaleString('en')})</span>` : ''
  return `<h2>${title}${shown}</h2>
<div class="table" tabindex="0" role="region" aria-label="${title} jobs"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell, at) => `<td${at === 7 ? ' class="reason"' : ''}>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`
}

const present = (time: Date) => time.toISOString().replace('T', ' ').slice(0, 19).concat(' UTC')

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
