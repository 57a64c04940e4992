import { gunzipSync } from 'node:zlib'
import { queryRows } from '../../db/postgres/database.ts'
import { sql } from '../../db/postgres/sql.ts'
import type { Bench } from './bench.ts'
import type { System } from './open-system.ts'
import { readProcessCpuMs } from './postgres-cpu.ts'
import { readBlobs } from './read-upload-bodies.ts'

/** Measures the least that a dataset could cost: gunzip and `JSON.parse`, and the insert of its insight. Call it after a drain. */
export async function measureBareDataset(bench: Bench, system: System): Promise<void> {
  measureBareDecode(bench)
  await measureBareInsert(bench, system)
}

function measureBareDecode({ files, plan, samples }: Bench): void {
  const blobs = readBlobs(files.typical)
  const decode = (count: number) => {
    for (let n = 0; n < count; n++) JSON.parse(gunzipSync(blobs[n % blobs.length] ?? '').toString('utf8'))
  }
  decode(plan.warmUpDatasets)
  const before = process.cpuUsage()
  decode(plan.drainDatasets)
  const { user, system } = process.cpuUsage(before)
  samples.add('bare dataset: workerUs', (user + system) / plan.drainDatasets)
}

/** Inserts the texts of the stored insights into an empty table of the same form. */
async function measureBareInsert({ samples }: Bench, { db }: System): Promise<void> {
  await db.transaction(async (trx) => {
    await queryRows(trx, sql`create table bare_insights (like insights including all)`)
    const [backend] = await queryRows<{ pid: number }>(trx, sql`select pg_backend_pid() as pid`)
    const pid = backend?.pid ?? 0
    const before = readProcessCpuMs(pid)
    const rows = await queryRows(
      trx,
      // as texts, so that they are compressed again
      sql`insert into bare_insights (subscription_id, dataset_id, calculated_at, scores, fragments, features, explanations)
          select subscription_id, dataset_id, calculated_at, scores::text::json, fragments::text::json, features::text::json,
                 explanations::text::json
          from insights returning 1`,
    )
    samples.add('bare dataset: postgresUs', ((readProcessCpuMs(pid) - before) / rows.length) * 1_000)
    await queryRows(trx, sql`drop table bare_insights`)
  })
}
