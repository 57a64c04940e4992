import { recordingOf } from '../events/record-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'

/** The shift of a version's scores under a code on a day. */
export interface DayStability {
  readonly subscriptionId: number
  readonly code: string
  readonly version: string
  /** Population stability index of the scores. */
  readonly psi: number
  /** `stable`, `shifting` or `shifted`. */
  readonly mark: string
  /** The characteristics that have shifted most, the most shifted first. */
  readonly characteristics: readonly { readonly name: string; readonly csi: number }[]
}

/** Rows of `recordingOf`: versions whose scores have shifted on a day on which that was not known. */
const DRIFT = `
  select subscription_id, null::bigint as dataset_id, 'alert.score_drift' as type,
         jsonb_build_object('code', code, 'version', version, 'day', day, 'psi', psi) as data
  from shifted`

/** Days that stability is stored, as counts are. */
const STORED_DAYS = 400

/**
 * Saves the stability of a day, replaces earlier measurements, and records an event of those that have shifted. Rows are written in the order of their key: otherwise concurrent
 * workers deadlock.
 *
 * @param day in UTC, as in 2026-11-21.
 */
export async function saveStability(db: Db, day: string, measured: readonly DayStability[]): Promise<void> {
  if (measured.length === 0) return
  const keyOf = (day: DayStability) => JSON.stringify([day.subscriptionId, day.code, day.version])
  const rows = valueRows(
    ['integer', 'text', 'text', 'date', 'double precision', 'text', 'json'],
    measured
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map(({ subscriptionId, code, version, psi, mark, characteristics }) => [
        ...[subscriptionId, code, version, day, psi, mark],
        JSON.stringify(characteristics),
      ]),
  )
  await queryRows(
    db,
    sql`with shifted as (
       select v.* from (values ${rows}) v (subscription_id, code, version, day, psi, mark, characteristics)
       where v.mark = 'shifted' and not exists (
         select from score_stability s
         where s.subscription_id = v.subscription_id and s.code = v.code and s.version = v.version
           and s.day = v.day and s.mark = 'shifted'
       )
     ), recorded as (${raw(recordingOf(DRIFT))})
     insert into score_stability (subscription_id, code, version, day, psi, mark, characteristics) values ${rows}
     on conflict (subscription_id, code, version, day)
     do update set psi = excluded.psi, mark = excluded.mark, characteristics = excluded.characteristics`,
  )
  await queryRows(db, sql`delete from score_stability where day < current_date - ${STORED_DAYS}::integer`)
}

/** The stored stability of a day. */
export interface StabilityDay extends Pick<DayStability, 'psi' | 'mark'> {
  readonly day: string
  /** JSON text of `characteristics`. */
  readonly characteristics: string
}

/** Lists the stability of a version, newest day first. */
export async function listStability(
  db: Db,
  subscriptionId: number,
  { code, version, days }: { code: string; version: string; days: number },
): Promise<StabilityDay[]> {
  return queryRows(
    db,
    sql`select to_char(day, 'YYYY-MM-DD') as day, psi, mark, characteristics from score_stability
        where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}
          and day >= current_date - ${days}::integer
        order by score_stability.day desc`,
  )
}
