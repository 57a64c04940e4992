import type { z } from 'zod'
import { createTrial } from '../../db/scorecards/scorecard-trials.ts'
import { Problem } from '../http/problem.ts'
import { presentTrial, type Trial } from './scorecard-responses.ts'

/** A worker will try the version. @throws Problem `conflict` while a trial of it, or ten others, are under way. */
export async function requestTrial(
  ...order: Parameters<typeof createTrial>
): Promise<z.output<typeof Trial>> {
  const asked = await createTrial(...order)
  if (asked) return presentTrial(asked)
  throw new Problem('conflict', {
    detail:
      'A trial of this version, or ten others of your subscription, have not ended yet; ask again when one has',
  })
}
