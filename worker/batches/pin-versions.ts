import { keyText } from '../../db/datasets/dataset-key.ts'
import { listScoredVersions, type ScoredVersion } from '../../db/datasets/insights.ts'
import type { ClaimedDataset } from '../../db/datasets/outbox.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { DeployedScorecard, Deployment, Deployments, FindCompiled } from './deployments.ts'

/** Returns the scorecards and fragments of a claimed dataset's insight. */
export type FindDeployment = (dataset: ClaimedDataset) => Deployment | undefined

/**
 * Pins a dataset that was scored before to the versions that scored it, whatever is champion by now: new Additional Info
 * and reprocessing change the input of its scores; only rescoring changes the scorecards.
 *
 * @param deployed by subscription, as of one moment for the whole batch.
 */
export async function pinVersions(
  trx: Db,
  claimed: readonly ClaimedDataset[],
  deployed: ReadonlyMap<number, Deployment>,
  deployments: Pick<Deployments, 'findVersions'>,
): Promise<FindDeployment> {
  const before = claimed.filter(({ ready }) => ready)
  const scored = before.length === 0 ? [] : await listScoredVersions(trx, before)
  const findCompiled: FindCompiled =
    scored.length === 0
      ? () => undefined
      : await deployments.findVersions(
          trx,
          scored.flatMap(({ subscriptionId, scored }) =>
            scored.map(({ version }) => ({ subscriptionId, version })),
          ),
        )
  const byName = new Map(scored.map((one) => [keyText(one), one.scored]))
  return (dataset) => {
    const deployment = deployed.get(dataset.subscriptionId)
    const versions = byName.get(keyText(dataset))
    return deployment && versions
      ? withVersions(deployment, dataset.subscriptionId, versions, findCompiled)
      : deployment
  }
}

function withVersions(
  deployment: Deployment,
  subscriptionId: number,
  scored: readonly ScoredVersion[],
  findCompiled: FindCompiled,
): Deployment {
  const pinned = scored.flatMap(({ code, version }): DeployedScorecard[] => {
    const found = findCompiled({ subscriptionId, version })
    return found ? [{ code, version, stage: 'champion', ...found }] : []
  })
  const codes = new Set(pinned.map(({ code }) => code))
  const others = deployment.scorecards.filter(({ code, stage }) => stage === 'challenger' || !codes.has(code))
  return {
    ...deployment,
    scorecards: [...pinned, ...others].sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)),
  }
}
