import { type Command, InvalidArgumentError, Option } from 'commander'
import { InputTimestamp } from '../../api/http/timestamp.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { findDataset, listDatasets } from '../../db/datasets/dataset-records.ts'
import {
  countInvalid,
  countReady,
  type DatasetSelection,
  type DatasetStatus,
} from '../../db/datasets/datasets.ts'
import { deleteDataset } from '../../db/datasets/delete-datasets.ts'
import { findExplainedInsight } from '../../db/datasets/insights.ts'
import { findCursor } from '../../db/datasets/search-datasets.ts'
import { findTimeline } from '../../db/datasets/timeline.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, openVaultOf, requireSubscription, withDatabase } from '../cli/with-database.ts'

const LIST_LIMIT = 1_000

const status = () =>
  new Option('--status <status>', 'only datasets with this status').choices([
    'received',
    'ready',
    'invalid',
    'deleted',
  ])

/** Parses a timestamp for Postgres. */
function instant(text: string): string {
  const at = InputTimestamp.safeParse(text)
  if (!at.success) throw new InvalidArgumentError(`It ${at.error.issues[0]?.message}.`)
  return at.data
}

const narrowed = (command: Command) =>
  command
    .option('--reason <code>', 'only invalid datasets with this error code')
    .option(
      '--since <time>',
      'uploaded at or after this time, for example 2026-11-20 or 2026-11-20T08:00:00Z',
      instant,
    )
    .option('--until <time>', 'uploaded before this time', instant)

interface ReprocessOptions extends DatasetSelection {
  all?: boolean
  wait: boolean
}

interface RescoreOptions {
  all?: boolean
  code?: string
  since?: string
  until?: string
}

export function datasetCommands(dataset: Command, io: CommandIo): void {
  dataset.addHelpText(
    'after',
    `
Examples:
  scripts/admin dataset show "Acme Lending" LN-2027-000042
  scripts/admin dataset list "Acme Lending" --status invalid --since 2027-01-01
  scripts/admin dataset reprocess "Acme Lending" --status invalid`,
  )

  dataset
    .command('show <subscription> <reference>')
    .description(
      'Show a dataset with its timeline, insight, features and score explanations, without its capture',
    )
    .action((nameOrId: string, reference: string) =>
      withDatabase(io, async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        const found = await findDataset(db, id, reference, await openVaultOf(io, db))
        if (!found) throw unknownDataset(reference)
        await recordAudit(db, {
          ...{ subscriptionId: id, actor: currentOperator(), action: 'dataset.view', subject: reference },
        })
        return {
          ...found,
          timeline: (await findTimeline(db, id, reference))?.events ?? [],
          insight: (await findExplainedInsight(db, id, reference)) ?? null,
        }
      }),
    )

  narrowed(dataset.command('list <subscription>'))
    .description(
      `List up to ${LIST_LIMIT} datasets of a status, newest first; for invalid datasets also the count per error code`,
    )
    .addOption(status().makeOptionMandatory())
    .action((nameOrId: string, options: DatasetSelection & { status: DatasetStatus }) =>
      withDatabase(io, async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        const selection = { ...selectionOf([], options), status: options.status }
        await recordAudit(db, {
          ...{ subscriptionId: id, actor: currentOperator(), action: 'dataset.search', detail: selection },
        })
        return {
          ...(options.status === 'invalid' && { reasons: await countInvalid(db, id, selection) }),
          datasets: await listDatasets(db, id, selection, LIST_LIMIT),
        }
      }),
    )

  narrowed(dataset.command('reprocess <subscription> [references...]'))
    .description('Reprocess datasets and wait for completion; velocity counts do not change')
    .addOption(status())
    .option('--all', 'all datasets that still have their capture')
    .option('--no-wait', 'enqueue and exit without waiting')
    .action(async (nameOrId: string, references: string[], options: ReprocessOptions) => {
      const { withQueue } = await import('../cli/with-queue.ts')
      const { reprocess } = await import('./reprocess.ts')
      return withQueue(io, async (db, producer) => {
        const selection = selectionOf(references, options)
        if ((Object.keys(selection).length === 0) !== (options.all === true))
          throw new UsageError(
            'Select datasets: reference numbers, --all, or any of --status, --reason, --since and --until',
          )
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        for (const reference of references) await requireDataset(db, subscriptionId, reference)
        await recordAudit(db, {
          subscriptionId,
          actor: currentOperator(),
          action: 'dataset.reprocess',
          detail: options.all ? { all: true } : selection,
        })
        const stop = io.catchInterrupt() // a second one ends the process, which is safe too
        const answer = await reprocess(
          { db, producer, actor: currentOperator(), stderr: io.stderr },
          subscriptionId,
          selection,
          { wait: options.wait, stop },
        )
        if (answer.interrupted) io.exitCode = 130
        return answer
      })
    })

  dataset
    .command('rescore <subscription> [references...]')
    .description('Rescore datasets with the current champions; earlier scores are kept as history')
    .option('--all', 'all datasets that have an insight')
    .option('--code <code>', 'only scores with this code')
    .option(
      '--since <time>',
      'uploaded at or after this time, for example 2026-11-20 or 2026-11-20T08:00:00Z',
      instant,
    )
    .option('--until <time>', 'uploaded before this time', instant)
    .addHelpText(
      'after',
      `
Datasets keep the scores of the version that scored them until they are rescored. You can interrupt this command and run
it again.

Examples:
  scripts/admin dataset rescore "Acme Lending" R-2026-0001
  scripts/admin dataset rescore "Acme Lending" --code app_score --since 2026-11-01`,
    )
    .action((nameOrId: string, references: string[], options: RescoreOptions) =>
      withDatabase(io, async (db) => {
        const { rescore } = await import('./rescore.ts')
        const { code, all, ...rest } = options
        const selection = selectionOf(references, rest)
        if ((Object.keys(selection).length === 0) !== (all === true))
          throw new UsageError('Select datasets: reference numbers, --all, or --since and --until')
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        for (const reference of references) await requireDataset(db, subscriptionId, reference)
        await recordAudit(db, {
          subscriptionId,
          actor: currentOperator(),
          action: 'dataset.rescore',
          detail: { ...(all ? { all } : selection), ...(code !== undefined && { code }) },
        })
        const stop = io.catchInterrupt() // a second one ends the process, which is safe too
        const total = references.length || (await countReady(db, subscriptionId, selection))
        const answer = await rescore(
          { db, actor: currentOperator(), stderr: io.stderr },
          subscriptionId,
          selection,
          {
            ...{ code, total, stop },
          },
        )
        if (answer.interrupted) io.exitCode = 130
        return answer
      }),
    )

  dataset
    .command('delete <subscription> <reference>')
    .description('Permanently delete a dataset and its results')
    .action((nameOrId: string, reference: string) =>
      withDatabase(io, async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        await requireDataset(db, id, reference)
        const outcome = await deleteDataset(db, id, reference, currentOperator())
        if (outcome !== 'deleted')
          throw new UserError(`The dataset ${JSON.stringify(reference)} is already deleted`)
        return { referenceNumber: reference, deleted: true }
      }),
    )
}

const unknownDataset = (reference: string) =>
  new UserError(`No such dataset in this subscription: ${JSON.stringify(reference)}`)

/** @throws UserError if the dataset does not exist. */
async function requireDataset(db: Db, subscriptionId: number, reference: string): Promise<void> {
  if (!(await findCursor(db, subscriptionId, reference))) throw unknownDataset(reference)
}

/** @throws UsageError for conflicting options. */
function selectionOf(referenceNumbers: string[], options: DatasetSelection): DatasetSelection {
  const { status, reason, since, until } = options
  if (reason !== undefined && (status ?? 'invalid') !== 'invalid')
    throw new UsageError('Only invalid datasets have an error code: use --reason with --status invalid')
  const selection: DatasetSelection = {
    ...(status && { status }),
    ...(reason !== undefined && { status: 'invalid', reason }),
    ...(since && { since }),
    ...(until && { until }),
  }
  if (referenceNumbers.length === 0) return selection
  if (Object.keys(selection).length > 0)
    throw new UsageError(
      'Select datasets by reference numbers or by --status, --reason, --since and --until, not both',
    )
  return { referenceNumbers }
}
