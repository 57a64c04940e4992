import { runMigrations } from 'bullmq'
import pg from 'pg'
import { QUEUE_NAME } from './job.ts'
import { QUEUE_SCHEMA } from './postgres-pool.ts'

/** Migrates the schema of the queue to the newest version; a second call changes nothing. */
export async function migrateQueue(client: pg.Client): Promise<void> {
  await runMigrations(client, QUEUE_SCHEMA)
  // BullMQ would create it with the first job, which the role of web and worker may not
  const { rows } = await client.query<{ name: string }>(
    `select ${QUEUE_SCHEMA}.job_id_seq_name($1) as name`,
    [QUEUE_NAME],
  )
  for (const { name } of rows)
    await client.query(`create sequence if not exists ${QUEUE_SCHEMA}.${pg.escapeIdentifier(name)}`)
}
