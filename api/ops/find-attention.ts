import { presentNumber, presentSeconds, presentUse } from './formats.ts'
import type { Overview } from './read-overview.ts'

/** Ages after which something waits for too long, as in the alerts of docs/operations/monitoring.md. */
const LATE_SECONDS = { dataset: 60, webhook: 3_600, removal: 3_600 }

/** Share of a limit from which it is soon reached. */
const NEARLY_REACHED = 0.9

/** Returns a sentence for each thing that an operator should look at, most urgent first; none if all is well. */
export function findAttention(overview: Overview): string[] {
  const { drain, queue, processes, elsewhere, role } = overview
  const workers = processes.filter(({ kind }) => kind === 'worker')
  const versions = new Set(processes.flatMap(({ version }) => version ?? []))
  const sentences: [boolean, string][] = [
    [queue === undefined, 'The queue is unavailable: uploads wait until it is back.'],
    [workers.length === 0 && !queue?.workers, 'No worker is connected: nothing is processed.'],
    [
      drain.datasets > 0 && drain.secondsToDrain === null && drain.oldestSeconds > LATE_SECONDS.dataset,
      `${presentNumber(drain.datasets)} datasets wait and none was processed in the last minutes.`,
    ],
    [
      drain.oldestSeconds > LATE_SECONDS.dataset,
      `The oldest dataset has waited ${presentSeconds(drain.oldestSeconds)}: add workers, or look for what blocks them.`,
    ],
    [
      elsewhere.suspendedScorecards > 0,
      `Suspended scorecards: ${elsewhere.suspendedScorecards}. Their scores are absent until an admin resumes them.`,
    ],
    [
      elsewhere.webhookSeconds > LATE_SECONDS.webhook,
      `A webhook has not received an event for ${presentSeconds(elsewhere.webhookSeconds)}.`,
    ],
    [
      elsewhere.removalSeconds > LATE_SECONDS.removal,
      `A capture should have been removed from object storage ${presentSeconds(elsewhere.removalSeconds)} ago: erased data is still stored.`,
    ],
    [versions.size > 1, `Processes of several versions run: ${[...versions].toSorted().join(', ')}.`],
    [
      role.changesAudit,
      `Warning: the role ${role.name} of web owns the tables in Postgres and can change the audit log: see “Two roles” in docs/operations/server.md.`,
    ],
  ]
  return [...sentences.flatMap(([holds, text]) => (holds ? [text] : [])), ...findReached(overview)]
}

function findReached({ subscriptions }: Overview): string[] {
  return subscriptions.flatMap(({ name, use, limits }) =>
    (
      [
        ['datasets of today', use.datasets, limits.datasetsPerDay],
        ['stored bytes', use.bytes, limits.bytesStored],
      ] as const
    ).flatMap(([what, used, limit]) =>
      limit !== null && used >= NEARLY_REACHED * limit
        ? [`${name} has nearly reached a limit: ${what}, ${presentUse(used, limit)}.`]
        : [],
    ),
  )
}
