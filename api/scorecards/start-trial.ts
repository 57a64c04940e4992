import type { z } from 'zod'
import { createTrial } from '../../db/scorecards/scorecard-trials.ts'
import { Problem } from '../http/problem.ts'
import { presentTrial, type Trial } from './scorecard-responses.ts'

/** Starts a trial of a version by a worker. @throws Problem `conflict` while a trial of it, or ten others, are in progress. */
export async function startTrial(
  ...request: Parameters<typeof createTrial>
): Promise<z.output<typeof Trial>> {
  const trial = await createTrial(...request)
  if (trial) return presentTrial(trial)
  throw new Problem('conflict', {
    retryAfterSeconds: 10,
    detail:
      'A trial of this version, or ten others of your subscription, are still in progress; retry when one has ended',
  })
}
