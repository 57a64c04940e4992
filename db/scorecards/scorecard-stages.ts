import { recordEvents } from '../events/record-events.ts'
import type { Db } from '../postgres/database.ts'
import { lockStages, type StagedScorecard, setStage } from './scorecards.ts'

/** A change of stages. */
export interface StageChange {
  readonly code: string
  readonly version: string
  /** The version that it replaced. */
  readonly replaced: string | null
}

/** A change that is not possible; the message is for a person. */
export class StageError extends Error {
  override name = 'StageError'
}

type ScorecardCode = Pick<StagedScorecard, 'subscriptionId' | 'code'>
type ScorecardVersion = Omit<StagedScorecard, 'stage'>

/** Adds a version under a code as a draft, which does not score; a version that has a stage already keeps it. */
export async function draftScorecard(trx: Db, target: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, target.subscriptionId, target.code)
  if (!stages.some(({ version }) => version === target.version))
    await setStage(trx, { ...target, stage: 'draft' })
  return { code: target.code, version: target.version, replaced: null }
}

/** Makes a version the challenger, which scores in shadow from the next batch on; the previous challenger becomes a draft. */
export async function challengeScorecard(trx: Db, target: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, target.subscriptionId, target.code)
  if (stages.some(({ version, stage }) => version === target.version && stage === 'champion'))
    throw new StageError('This version is the champion and cannot be its own challenger')
  const previous = stages.find(({ stage }) => stage === 'challenger')?.version ?? null
  if (previous === target.version) return { code: target.code, version: target.version, replaced: null }
  if (previous !== null) await setStage(trx, { ...target, version: previous, stage: 'draft' })
  await setStage(trx, { ...target, stage: 'challenger' })
  return { code: target.code, version: target.version, replaced: previous }
}

/**
 * Makes a version the champion, whose scores are returned from the next batch on; the previous champion is retired.
 *
 * @param version the challenger if left out.
 */
export async function promoteScorecard(
  trx: Db,
  target: ScorecardCode & { version?: string | undefined },
): Promise<StageChange> {
  const { subscriptionId, code } = target
  const stages = await lockStages(trx, subscriptionId, code)
  const version = target.version ?? stages.find(({ stage }) => stage === 'challenger')?.version
  if (version === undefined) throw new StageError(`There is no challenger under ${code}: specify a version`)
  const previous = stages.find(({ stage }) => stage === 'champion')?.version ?? null
  if (previous === version) return { code, version, replaced: null }
  if (previous !== null) await setStage(trx, { subscriptionId, code, version: previous, stage: 'retired' })
  await setStage(trx, { subscriptionId, code, version, stage: 'champion' }, previous)
  await recordPromotion(trx, subscriptionId, { code, version, replaced: previous })
  return { code, version, replaced: previous }
}

/**
 * Retires the champion and restores the version that it replaced. The retired version's `replaced` is cleared: otherwise, after
 * champions that alternated, a second rollback would restore the version just rolled back.
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
  await recordPromotion(trx, subscriptionId, {
    ...{ code, version: champion.replaced, replaced: champion.version },
  })
  return { code, version: champion.replaced, replaced: champion.version }
}

const recordPromotion = (trx: Db, subscriptionId: number, change: StageChange): Promise<void> =>
  recordEvents(trx, [{ subscriptionId, type: 'scorecard.promoted', data: change }])

/** Retires a version: it does not score from the next batch on. */
export async function retireScorecard(trx: Db, target: ScorecardVersion): Promise<StageChange> {
  const stages = await lockStages(trx, target.subscriptionId, target.code)
  if (!stages.some(({ version }) => version === target.version))
    throw new StageError(`There is no version ${target.version} under ${target.code}`)
  await setStage(trx, { ...target, stage: 'retired' })
  return { code: target.code, version: target.version, replaced: null }
}
