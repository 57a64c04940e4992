import { z } from 'zod'
import { encryptionVariables } from '../db/encryption/wrapping-keys.ts'
import { webhookVariables } from '../db/events/webhook-variables.ts'
import { captureStoreVariables } from '../db/object-store/capture-store-url.ts'
import { integer, processVariables, wholeNumber } from '../db/runtime/env.ts'
import { tracingVariables } from '../db/runtime/tracing/tracing-variables.ts'

/** Schema of the worker process's environment. In production the operator has to supply the keys that encrypt. */
export const workerEnv = (env: NodeJS.ProcessEnv) =>
  z.object({
    ...processVariables,
    ...tracingVariables,
    ...encryptionVariables(env),
    ...captureStoreVariables(env),
    WORKER_CONCURRENCY: integer({ from: 1, to: 64, default: 4 }),
    WORKER_HEALTH_PORT: wholeNumber(0, 65_535).optional(),
    REQUEST_RETENTION_DAYS: integer({ from: 1, to: 36_500, default: 400 }),
    AUDIT_RETENTION_DAYS: integer({ from: 366, to: 36_500, default: 2_557 }), // 7 years
    EVENT_RETENTION_DAYS: integer({ from: 1, to: 36_500, default: 400 }),
    FEED_RETENTION_DAYS: integer({ from: 4, to: 400, default: 30 }), // retries of webhooks last three
    ...webhookVariables(env),
    WORKER_STUCK_SECONDS: integer({ from: 1, to: 3_600, default: 90 }),
  })
