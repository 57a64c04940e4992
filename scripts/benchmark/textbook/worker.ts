/** The textbook's worker process: one job and one transaction per dataset. */
import { Worker } from 'bullmq'
import { pino } from 'pino'
import { databaseOptions, openDatabase } from '../../../db/postgres/database.ts'
import { openRedis } from '../../../db/queue/open-redis.ts'
import { readEnvOrExit } from '../../../db/runtime/env.ts'
import { openDeployments } from '../../../worker/batches/deployments.ts'
import { workerEnv } from '../../../worker/config.ts'
import { processDataset } from './process-dataset.ts'
import { type DatasetJob, TEXTBOOK_QUEUE } from './queue.ts'

/** While one dataset waits for Postgres, others are decoded; 4, 8 and 16 gave the same throughput. */
const CONCURRENCY = 8

const env = readEnvOrExit(workerEnv({}), process.env)
const log = pino({ level: env.LOG_LEVEL })
const db = openDatabase(databaseOptions(env))
const deployments = openDeployments(db)
const worker = new Worker<DatasetJob>(
  TEXTBOOK_QUEUE,
  (job) => processDataset(db, deployments, Number(job.data.id)),
  {
    connection: openRedis({ url: env.REDIS_URL ?? '' }, { failFast: false }),
    concurrency: CONCURRENCY,
  },
)
worker.on('error', (err) => log.error({ err }, 'worker'))
worker.on('failed', (_job, err) => log.error({ err }, 'job failed'))

process.on('SIGTERM', async () => {
  await worker.close()
  await db.destroy()
  process.exit(0)
})
