import { z } from 'zod'
import { integer, processVariables } from '../db/env.ts'

/** The environment of the worker process. */
export const WorkerEnv = z.object({
  ...processVariables,
  WORKER_CONCURRENCY: integer({ from: 1, to: 64, otherwise: 4 }),
})
