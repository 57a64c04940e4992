import { type Command, Option } from 'commander'
import { recordAudit } from '../../db/audit-events.ts'
import type { Db } from '../../db/database.ts'
import { type DatasetStatus, findDataset, listDatasets } from '../../db/datasets.ts'
import { findExplainedInsight } from '../../db/insights.ts'
import { type DatasetSelection, requeueDatasets } from '../../db/waiting-datasets.ts'
import { Refusal } from './refusal.ts'
import { ACTOR, requireSubscription, withDatabase, withQueue } from './with-database.ts'

const LIST_LIMIT = 1_000
const GROUP_ROWS = 128

const status = () => new Option('--status <status>').choices(['received', 'ready', 'invalid', 'deleted'])

interface ReprocessOptions {
  status?: DatasetStatus
  all?: boolean
}

export function datasetCommands(program: Command): void {
  const dataset = program.command('dataset').description('Datasets')

  dataset
    .command('show <subscription> <reference>')
    .description(
      'Show a dataset with its insight, features and the explanation of each score; never its data',
    )
    .action((nameOrId: string, reference: string) =>
      withDatabase(async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        const found = await requireDataset(db, id, reference)
        return { ...found, insight: (await findExplainedInsight(db, id, reference)) ?? null }
      }),
    )

  dataset
    .command('list <subscription>')
    .description(`List datasets of a status, newest first, at most ${LIST_LIMIT}`)
    .addOption(status().makeOptionMandatory())
    .action((nameOrId: string, options: { status: DatasetStatus }) =>
      withDatabase(async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        return { datasets: await listDatasets(db, id, options.status, LIST_LIMIT) }
      }),
    )

  dataset
    .command('reprocess <subscription> [references...]')
    .description(
      'Process datasets again: by reference number, by status, or all; velocity is not counted twice',
    )
    .addOption(status())
    .option('--all', 'every dataset that still has its data')
    .action((nameOrId: string, references: string[], options: ReprocessOptions) =>
      withQueue(async (db, bell) => {
        const selection = selectionOf(references, options)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        for (const reference of references) await requireDataset(db, subscriptionId, reference)
        await recordAudit(db, {
          subscriptionId,
          actor: ACTOR,
          action: 'dataset.reprocess',
          detail: selection,
        })
        let requeued = 0
        let heard = true
        for (let afterId = 0; ; ) {
          const keys = await requeueDatasets(db, subscriptionId, selection, { afterId, limit: GROUP_ROWS })
          const last = keys.at(-1)
          if (!last) return { requeued }
          afterId = last.id
          requeued += keys.length
          // they wait already: where the queue is away, the relay rings for them
          if (heard)
            heard = await bell.ring(keys).then(
              () => true,
              () => false,
            )
        }
      }),
    )
}

/** @throws Refusal when there is no such dataset. */
async function requireDataset(db: Db, subscriptionId: number, reference: string) {
  const found = await findDataset(db, subscriptionId, reference)
  if (!found) throw new Refusal(`There is no dataset ${JSON.stringify(reference)} in this subscription`)
  return found
}

function selectionOf(referenceNumbers: string[], { status, all }: ReprocessOptions): DatasetSelection {
  if (Number(referenceNumbers.length > 0) + Number(status !== undefined) + Number(all === true) !== 1)
    throw new Refusal('Say which: reference numbers, --status or --all, one of the three')
  if (status !== undefined) return { status }
  return all ? { all } : { referenceNumbers }
}
