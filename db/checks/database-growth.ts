import { GROWING_TABLES } from '../monitoring/dead-rows.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Size of the database, and what it grows by. */
export interface DatabaseGrowth {
  readonly bytes: number
  /** Of the tables that grow with datasets, with their indexes. */
  readonly datasetBytes: number
  /** Stored datasets, as Postgres estimates them. */
  readonly datasets: number
  /** Datasets uploaded a day, over the last 7 days or since the first of them. */
  readonly datasetsPerDay: number
  /** Directory of the data; null where this role may not see it. */
  readonly directory: string | null
}

export async function readDatabaseGrowth(db: Db): Promise<DatabaseGrowth> {
  const [growth] = await queryRows<DatabaseGrowth>(
    db,
    sql`select pg_database_size(current_database())::float8 as bytes,
               (select coalesce(sum(pg_total_relation_size(relid)), 0)::float8 from pg_stat_user_tables
                where schemaname = 'public' and relname = any(${GROWING_TABLES})) as "datasetBytes",
               (select n_live_tup from pg_stat_user_tables
                where schemaname = 'public' and relname = 'datasets')::float8 as datasets,
               (select coalesce(sum(uploads) / greatest(1, extract(epoch from now() - min(minute)) / 86400), 0)::float8
                from pipeline_counts where minute > now() - interval '7 days') as "datasetsPerDay",
               case when pg_has_role('pg_read_all_settings', 'usage') then current_setting('data_directory', true) end
                 as directory`,
  )
  if (!growth) throw new Error('Postgres returned no sizes')
  return growth
}
