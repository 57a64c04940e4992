import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { join, raw, type Sql, sql } from '../../../db/postgres/sql.ts'
import { startProgress } from '../../cli/progress.ts'
import { FILLED_TABLES, type Templates } from './templates.ts'

/** What a database is filled with. */
export interface Filling {
  readonly datasets: number
  /** Subscription of 99 of 100 datasets, and of the others. */
  readonly subscriptionId: number
  readonly rivalId: number
  readonly templates: Templates
  /** Datasets and reads that are past their retention; sightings that no window reaches any more. */
  readonly due: number
}

/** Prefix of the reference numbers, which are those of `scatteredReference`. */
export const FILLED = 'filled'

/** Datasets of one transaction. */
const STEP_DATASETS = 10_000

/** The age of datasets, reads and sightings that were removed already, in days, less a margin; those that are due are older. */
const AGES = { datasets: 729, records: 399, sightings: 31 }

/**
 * Multiplies the templates: dataset n of two years, in order of time, is of the frequent device where n ends in 3, and of another
 * subscription, invalid or deleted in one of 100 each. Other devices and clients come back evenly, two or three times each.
 * Counters, pairs and sightings agree with the datasets; scores and texts of insights are those of the templates.
 *
 * Older records are missing, as where they have been pruned, except `due` of each kind. Ends with vacuum, analyze and a checkpoint.
 */
export async function fillDatabase(db: Db, filling: Filling, signal: AbortSignal): Promise<void> {
  const { datasets, due } = filling
  const columns = await readColumns(db)
  const at = new Date()
  const progress = startProgress('Filled', datasets)
  for (let from = 0; from < datasets; from += STEP_DATASETS) {
    signal.throwIfAborted()
    const rows = rowsOf(filling, at, from, Math.min(from + STEP_DATASETS, datasets))
    await db.transaction(async (trx) => {
      await queryRows(trx, sql`set local synchronous_commit = off`)
      for (const statement of copiesOf(columns, rows, due)) await queryRows(trx, statement)
    })
    progress.update(Math.min(from + STEP_DATASETS, datasets))
  }
  progress.finish()
  signal.throwIfAborted()
  await db.transaction(async (trx) => {
    await queryRows(trx, sql`set local work_mem = '256MB'`)
    for (const statement of countersOf(filling, rowsOf(filling, at, 0, datasets)))
      await queryRows(trx, statement)
  })
  signal.throwIfAborted()
  await queryRows(db, `vacuum (analyze) ${FILLED_TABLES.join(', ')}`)
  await queryRows(db, 'checkpoint')
}

/** The filled datasets from `from` to `to` as a table `r`. */
function rowsOf({ datasets, due, subscriptionId, rivalId }: Filling, at: Date, from: number, to: number) {
  // multiples of 100, so that all datasets of a device are of one kind and subscription
  const distinct = (share: number) => 100 * Math.ceil((datasets * share) / 100)
  const [devices, clients] = [distinct(0.3), distinct(0.4)] as const
  return sql`(
    select g.n, g.n + 1 as id, k.kind, t.id as template, ${FILLED}::text as prefix,
           case when g.n % 100 = 0 then ${rivalId}::integer else ${subscriptionId}::integer end as subscription_id,
           a.at, ${at}::timestamptz - a.at as age, g.n < ${due} as is_due,
           g.n % ${devices}::bigint as device, g.n % ${clients}::bigint as client,
           case k.kind when 'frequent' then g.n / 10 else g.n / ${devices}::bigint end + 1 as device_place,
           g.n / ${clients}::bigint + 1 as client_place
    from generate_series(${from}::bigint, ${to}::bigint - 1) g (n)
    cross join lateral (
      select case when g.n % 100 = 1 then 'invalid' when g.n % 100 = 2 then 'deleted' when g.n % 10 = 3 then 'frequent'
             else 'ordinary' end as kind
    ) k
    cross join lateral (
      select ${at}::timestamptz - make_interval(secs => 86400 * case
        when g.n < ${due} then 740 - 9 * g.n / ${due}::float
        else ${AGES.datasets} * (${datasets} - g.n) / ${datasets - due}::float end) as at
    ) a
    join growth.templates t on t.kind = k.kind and t.no = abs(hashint8(g.n)::bigint) % t.of
  ) r`
}

/** Names of the columns of each table with templates that are not computed. */
async function readColumns(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await queryRows<{ table: string; columns: string[] }>(
    db,
    sql`select table_name::text as table, jsonb_agg(column_name order by ordinal_position) as columns
        from information_schema.columns where table_schema = 'growth' group by 1`,
  )
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

const REFERENCE = raw(
  `lpad(to_hex((r.n * 2654435761) & 4294967295), 8, '0') || '-' || r.prefix`, // as scatteredReference
)
const uuidOf = (kind: 'device' | 'client') => raw(`md5('${kind} ' || r.${kind})::uuid::text`)

/** Statements that copy the templates of these rows, with ids, references, devices, clients and times of their own. */
function copiesOf(columns: ReadonlyMap<string, readonly string[]>, rows: Sql, due: number): Sql[] {
  const copy = (table: string, own: Readonly<Record<string, Sql | undefined>>, join: Sql): Sql => {
    const copied = (columns.get(table) ?? []).filter((column) => !(column in own) || own[column])
    return sql`insert into ${raw(`public.${table} (${copied})`)} overriding system value
      select ${list(copied.map((column) => own[column] ?? raw(`t.${column}`)))} from ${rows} join ${raw(`growth.${table}`)} t on ${join}
      order by r.n`
  }
  const settledAt = sql`r.at + interval '2 seconds'`
  const isRecent = sql`(r.is_due or r.age < make_interval(days => ${AGES.records}))`
  return [
    copy(
      'datasets',
      {
        ...{ subscription_id: sql`r.subscription_id`, id: sql`r.id`, reference_number: REFERENCE },
        ...{ uploaded_at: sql`r.at`, settled_at: settledAt },
        device_id: sql`case r.kind when 'ordinary' then ${uuidOf('device')} else t.device_id end`,
        additional_info: sql`case r.kind when 'deleted' then t.additional_info
          else t.additional_info || jsonb_build_object('clientId', ${uuidOf('client')}) end`,
      },
      sql`t.id = r.template`,
    ),
    copy(
      'insights',
      { subscription_id: sql`r.subscription_id`, dataset_id: sql`r.id`, calculated_at: settledAt },
      sql`t.dataset_id = r.template`,
    ),
    copy(
      'dataset_events',
      {
        ...{ subscription_id: sql`r.subscription_id`, dataset_id: sql`r.id`, id: undefined, at: settledAt },
        ...{ rung_at: sql`r.at`, claimed_at: sql`r.at + interval '1.9 seconds'` },
      },
      sql`t.dataset_id = r.template and ${isRecent}`,
    ),
    copy(
      'insight_requests',
      {
        ...{ subscription_id: sql`r.subscription_id`, dataset_id: sql`r.id`, id: undefined },
        ...{ reference_number: REFERENCE, requested_at: sql`r.at + interval '1 hour'` },
      },
      sql`t.dataset_id = r.template and ${isRecent} and (r.n < ${due} or r.n % 2 = 0)`,
    ),
  ]
}

const list = (parts: readonly Sql[]): Sql => join(parts, ', ')

/** Statements that count devices, clients and pairs of all rows, record sightings, and put sequences and states in place. */
function countersOf({ datasets, due, templates, subscriptionId, rivalId }: Filling, rows: Sql): Sql[] {
  const counted = sql`(
    select r.*, case r.kind when 'frequent' then ${templates.frequentKey}::bytea
                else '\\x01'::bytea || sha256(convert_to('device ' || r.device, 'UTF8')) end as device_key,
           '\\x01'::bytea || sha256(convert_to('client ' || r.client, 'UTF8')) as client_key
    from ${rows} where r.kind in ('ordinary', 'frequent')
  ) r`
  // as after months of pruning, when rows are where there was room: in no order of time
  const young = sql`${AGES.sightings} * interval '1 day'`
  const overdue = sql`select r.n from ${counted} where r.age >= ${young} order by r.n desc limit ${due}`
  const sightings = (kind: 'device' | 'client') => sql`
    select r.subscription_id, ${kind}::text, ${raw(`r.${kind}_key`)},
           case when r.age < ${young} then r.at else r.at - interval '2 days' end, ${raw(`r.${kind}_place`)}, r.n
    from ${counted} where r.age < ${young} or r.n in (${overdue})`
  return [
    sql`insert into devices (subscription_id, device_key, datasets, clients)
        select subscription_id, device_key, count(*), count(distinct client_key) from ${counted} group by 1, 2`,
    sql`insert into clients (subscription_id, client_key, datasets, devices)
        select subscription_id, client_key, count(*), count(distinct device_key) from ${counted} group by 1, 2`,
    sql`insert into client_devices (subscription_id, client_key, device_key)
        select distinct subscription_id, client_key, device_key from ${counted}`,
    sql`insert into sightings (subscription_id, kind, key, at, place)
        select s.subscription_id, s.kind, s.key, s.at, s.place
        from (${sightings('device')} union all ${sightings('client')}) s (subscription_id, kind, key, at, place, n)
        order by hashint8(s.n)`,
    sql`select setval(pg_get_serial_sequence('datasets', 'id'), ${datasets})`,
    // measured and converted long ago
    sql`insert into stored_bytes (subscription_id, bytes, measured_at)
        select id, 1, now() from unnest(array[${subscriptionId}::integer, ${rivalId}::integer]) s (id)
        on conflict (subscription_id) do update set measured_at = now(), scan_until = null`,
    sql`update encryption_progress set converted_at = now()`,
    sql`insert into retention_policies (subscription_id, blob_days)
        select id, 730 from unnest(array[${subscriptionId}::integer, ${rivalId}::integer]) s (id)
        on conflict (subscription_id) do update set blob_days = 730, blobs_from = null, datasets_through = 0, blobs_through = 0`,
  ]
}
