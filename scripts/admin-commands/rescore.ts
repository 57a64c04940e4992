import type { Actor } from '../../db/audit/actor.ts'
import type { DatasetSelection } from '../../db/datasets/datasets.ts'
import {
  lockScored,
  type Rescored,
  type ScoredDataset,
  saveRescored,
} from '../../db/datasets/rescore-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import { type DeployedScorecard, openDeployments } from '../../worker/batches/deployments.ts'
import { startProgress } from '../cli/progress.ts'

/** Datasets locked per transaction, for about 20 ms. */
const PAGE_ROWS = 100

/** Outcome of rescoring datasets. */
export interface RescoreOutcome {
  readonly rescored: number
  /** Already scored by the current champions. */
  readonly unchanged: number
  /** Set when the command was stopped: the next run continues with the remaining datasets. */
  readonly interrupted?: true
}

/**
 * Scores datasets again with the current champions, on their stored features: nothing is decoded or counted again. Earlier
 * scores are kept as history; scores of codes that are no longer deployed stay.
 *
 * @param code limits rescoring to scores of this code.
 * @param total approximate number of datasets, for the progress bar.
 */
export async function rescore(
  { db, actor, stderr }: { db: Db; actor: Actor; stderr: NodeJS.WritableStream },
  subscriptionId: number,
  selection: Pick<DatasetSelection, 'referenceNumbers' | 'since' | 'until'>,
  { code, total, stop }: { code: string | undefined; total: number; stop: AbortSignal },
): Promise<RescoreOutcome> {
  const deployment = (await openDeployments(db).find([subscriptionId])).get(subscriptionId)
  const champions = (deployment?.scorecards ?? []).filter(
    (one) => one.stage === 'champion' && (code === undefined || one.code === code),
  )
  const progress = startProgress('rescored', total, stderr)
  let rescored = 0
  let unchanged = 0
  for (let afterId: number | null = 0; afterId !== null && !stop.aborted; ) {
    const from: number = afterId
    afterId = await db.transaction(async (trx) => {
      const page = await lockScored(trx, subscriptionId, selection, { afterId: from, limit: PAGE_ROWS })
      const fresh = page.datasets.flatMap((dataset) => scoreAgain(dataset, champions) ?? [])
      await saveRescored(trx, subscriptionId, actor, fresh)
      rescored += fresh.length
      unchanged += page.datasets.length - fresh.length
      return page.afterId
    })
    progress.update(rescored + unchanged)
  }
  if (stop.aborted) progress.abandon()
  else progress.finish()
  return { rescored, unchanged, ...(stop.aborted && { interrupted: true }) }
}

interface Entry {
  readonly code: string
  readonly version?: string
}

/** Returns undefined when the current champions have scored the dataset already. */
function scoreAgain(dataset: ScoredDataset, champions: readonly DeployedScorecard[]): Rescored | undefined {
  const explanations: Entry[] = JSON.parse(dataset.explanations)
  const scores: Entry[] = JSON.parse(dataset.scores)
  const due = champions.filter(
    ({ code, version, platforms }) =>
      platforms.includes(dataset.platform) &&
      !explanations.some((explained) => explained.code === code && explained.version === version),
  )
  if (due.length === 0) return undefined
  const features = JSON.parse(dataset.features)
  const fresh = due.map(({ code, version, scorecard }) => ({
    ...{ code, version },
    score: scorecard.score(features, dataset.platform),
  }))
  return {
    before: dataset,
    scores: JSON.stringify(
      merge(
        scores,
        fresh.map(({ code, score: { value, probability } }) => ({ code, value, probability })),
      ),
    ),
    explanations: JSON.stringify(
      merge(
        explanations,
        fresh.map(({ code, version, score }) => ({ code, version, ...score })),
      ),
    ),
  }
}

/** Sorts by code, as workers do. */
const merge = (before: readonly Entry[], fresh: readonly Entry[]) =>
  [...before.filter(({ code }) => !fresh.some((one) => one.code === code)), ...fresh].sort((a, b) =>
    a.code < b.code ? -1 : 1,
  )
