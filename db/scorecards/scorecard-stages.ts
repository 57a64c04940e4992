import type { Db } from '../postgres/database.ts'
import { lockStages, type StagedScorecard, setStage } from './scorecards.ts'

/** What changed: the versions, in whatever stages they are now. */
export interface StageChange {
  readonly code: string
  readonly version: string
  /** The version whose place it took. */
  readonly replaced: string | null
}

/** Why a change cannot be made, for a person. */
export class StageError extends Error {
  override name = 'StageError'
}

type ScorecardCode = Pick<StagedScorecard, 'subscriptionId' | 'code'>
type ScorecardVersion = Omit<StagedScorecard, 'stage'>

/** Keeps a version under a code without scoring with it; where it stands already, it stays so. */
export async function draftScorecard(trx: Db, place: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, place.subscriptionId, place.code)
  if (!stages.some(({ version }) => version === place.version))
    await setStage(trx, { ...place, stage: 'draft' })
  return { code: place.code, version: place.version, replaced: null }
}

/** From the next group of datasets on, this version scores in shadow; the challenger before it is a draft again. */
export async function challengeScorecard(trx: Db, place: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, place.subscriptionId, place.code)
  if (stages.some(({ version, stage }) => version === place.version && stage === 'champion'))
    throw new StageError('This version is the champion: it cannot challenge itself')
  const before = stages.find(({ stage }) => stage === 'challenger')?.version ?? null
  if (before === place.version) return { code: place.code, version: place.version, replaced: null }
  if (before !== null) await setStage(trx, { ...place, version: before, stage: 'draft' })
  await setStage(trx, { ...place, stage: 'challenger' })
  return { code: place.code, version: place.version, replaced: before }
}

/**
 * From the next group of datasets on, the scores of this version are told; the champion before it is retired.
 *
 * @param version the challenger, if it is left out.
 */
export async function promoteScorecard(
  trx: Db,
  place: ScorecardCode & { version?: string | undefined },
): Promise<StageChange> {
  const { subscriptionId, code } = place
  const stages = await lockStages(trx, subscriptionId, code)
  const version = place.version ?? stages.find(({ stage }) => stage === 'challenger')?.version
  if (version === undefined) throw new StageError(`There is no challenger under ${code}: say which version`)
  const before = stages.find(({ stage }) => stage === 'champion')?.version ?? null
  if (before === version) return { code, version, replaced: null }
  if (before !== null) await setStage(trx, { subscriptionId, code, version: before, stage: 'retired' })
  await setStage(trx, { subscriptionId, code, version, stage: 'champion' }, before)
  return { code, version, replaced: before }
}

/**
 * The champion is retired, and the one that it replaced is champion again. It forgets what it replaced: where champions took
 * turns, rolling back again would else go forward to the one that was just rolled back from.
 */
export async function rollBackScorecard(
  trx: Db,
  { subscriptionId, code }: ScorecardCode,
): Promise<StageChange> {
  const stages = await lockStages(trx, subscriptionId, code)
  const champion = stages.find(({ stage }) => stage === 'champion')
  if (!champion) throw new StageError(`There is no champion under ${code}`)
  if (champion.replaced === null) throw new StageError(`The champion under ${code} replaced no other version`)
  await setStage(trx, { subscriptionId, code, version: champion.version, stage: 'retired' }, null)
  await setStage(trx, { subscriptionId, code, version: champion.replaced, stage: 'champion' })
  return { code, version: champion.replaced, replaced: champion.version }
}

/** From the next group of datasets on, this version scores no more. */
export async function retireScorecard(trx: Db, place: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, place.subscriptionId, place.code)
  if (!stages.some(({ version }) => version === place.version))
    throw new StageError(`There is no version ${place.version} under ${place.code}`)
  await setStage(trx, { ...place, stage: 'retired' })
  return { code: place.code, version: place.version, replaced: null }
}
