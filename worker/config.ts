import { z } from 'zod'
import { integer, processVariables, wholeNumber } from '../db/runtime/env.ts'

/** The environment of the worker process. */
export const WorkerEnv = z.object({
  ...processVariables,
  WORKER_CONCURRENCY: integer({ from: 1, to: 64, default: 4 }),
  WORKER_HEALTH_PORT: wholeNumber(0, 65_535).optional(),
  REQUEST_RETENTION_DAYS: integer({ from: 1, to: 36_500, default: 400 }),
  EVENT_RETENTION_DAYS: integer({ from: 1, to: 36_500, default: 400 }),
  WORKER_STUCK_SECONDS: integer({ from: 1, to: 3_600, default: 90 }),
})
