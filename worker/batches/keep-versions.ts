import { keyText } from '../../db/datasets/dataset-key.ts'
import { listScoredVersions, type ScoredVersion } from '../../db/datasets/insights.ts'
import type { ClaimedDataset } from '../../db/datasets/outbox.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { DeployedScorecard, Deployment, Deployments, ReadyScorecards } from './deployments.ts'

/** What a dataset is to be scored by. */
export type FindDeployment = (dataset: ClaimedDataset) => Deployment | undefined

/**
 * A dataset that was scored before keeps the versions that scored it, whatever is champion by now: new Additional Info or
 * reprocessing after a fix changes what it is scored on, and only rescoring changes by what.
 *
 * @param deployments of the subscriptions, as of one moment for all of the group.
 */
export async function keepVersions(
  trx: Db,
  claimed: readonly ClaimedDataset[],
  deployments: ReadonlyMap<number, Deployment>,
  restore: Deployments['restore'],
): Promise<FindDeployment> {
  const before = claimed.filter(({ ready }) => ready)
  const scored = before.length === 0 ? [] : await listScoredVersions(trx, before)
  const recalled =
    scored.length === 0
      ? new Map()
      : await restore(
          trx,
          scored.flatMap(({ subscriptionId, scored }) =>
            scored.map(({ version }) => ({ subscriptionId, version })),
          ),
        )
  const byName = new Map(scored.map((one) => [keyText(one), one.scored]))
  return (dataset) => {
    const deployment = deployments.get(dataset.subscriptionId)
    const versions = byName.get(keyText(dataset))
    return deployment && versions ? withVersions(deployment, versions, recalled) : deployment
  }
}

function withVersions(
  deployment: Deployment,
  scored: readonly ScoredVersion[],
  recalled: ReadyScorecards,
): Deployment {
  const kept = scored.flatMap(({ code, version }): DeployedScorecard[] => {
    const ready = recalled.get(version)
    return ready ? [{ code, version, stage: 'champion', ...ready }] : []
  })
  const codes = new Set(kept.map(({ code }) => code))
  const others = deployment.scorecards.filter(({ code, stage }) => stage === 'challenger' || !codes.has(code))
  return {
    ...deployment,
    scorecards: [...kept, ...others].sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)),
  }
}
