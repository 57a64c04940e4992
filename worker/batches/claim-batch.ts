import { keyText } from '../../db/datasets/dataset-key.ts'
import { claimDatasets } from '../../db/datasets/outbox.ts'
import { type KnownKeys, lockKeyForms } from '../../db/datasets/velocity-keys.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { ClaimedCapture } from './compute-batch.ts'
import { countVelocity } from './count-velocity.ts'
import type { Deployment, Deployments } from './deployments.ts'
import { pinVersions } from './pin-versions.ts'
import type { Prepared } from './prepare-dataset.ts'

/**
 * Claims those of the prepared datasets that still wait, counts them for velocity, and selects the scorecards that score
 * each. In key order.
 */
export async function claimBatch(
  trx: Db,
  prepared: readonly Prepared[],
  deployed: ReadonlyMap<number, Deployment>,
  {
    deployments,
    vault,
    known,
  }: { deployments: Pick<Deployments, 'findVersions'>; vault: Vault; known: KnownKeys },
): Promise<ClaimedCapture[]> {
  const byName = new Map(prepared.map((item) => [keyText(item), item]))
  const [claims, forms] = await Promise.all([claimDatasets(trx, prepared), lockKeyForms(trx, vault, known)])
  const items = claims.map((claim) => ({ claim, item: byName.get(keyText(claim)) }))
  const countable = new Map(
    items.flatMap(({ claim, item }) =>
      item && 'extracted' in item ? [[claim, { ...claim, deviceId: item.extracted.deviceId }]] : [],
    ),
  )
  const [velocities, findDeployment] = await Promise.all([
    countVelocity(trx, [...countable.values()], forms),
    pinVersions(trx, claims, deployed, deployments),
  ])
  return items.map(({ claim, item }) => {
    if (!item) throw new Error('A dataset was claimed that was not prepared')
    if ('invalid' in item) return { claim, invalid: item.invalid }
    const counted = countable.get(claim)
    const velocity = counted && velocities.get(counted)
    const deployment = findDeployment(claim)
    if (!velocity || !deployment) throw new Error('A claimed dataset was not counted')
    return { claim, extracted: item.extracted, velocity, deployment }
  })
}
