import type { z } from 'zod'
import { requestTrial } from '../../db/scorecards/scorecard-trials.ts'
import { Problem } from '../http/problem.ts'
import { presentTrial, type Trial } from './scorecard-responses.ts'

/** A worker will try the version. @throws Problem `conflict` while a trial of it, or ten others, are under way. */
export async function requestTrial(
  ...order: Parameters<typeof requestTrial>
): Promise<z.output<typeof Trial>> {
  const asked = await requestTrial(...order)
  if (asked) return presentTrial(asked)
  throw new Problem('conflict', {
    detail:
      'A trial of this version, or ten others of your subscription, have not ended yet; ask again when one has',
  })
}
