import { recordDailyAlerts } from '../events/daily-alerts.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'

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

/** Days that stability is stored, as counts are. */
const STORED_DAYS = 400

/**
 * Saves the stability of a day, replaces earlier measurements, and records an event of each version that has shifted, once. Rows are written in
 * the order of their key: otherwise concurrent workers deadlock.
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
    sql`insert into score_stability (subscription_id, code, version, day, psi, mark, characteristics) values ${rows}
     on conflict (subscription_id, code, version, day)
     do update set psi = excluded.psi, mark = excluded.mark, characteristics = excluded.characteristics`,
  )
  await recordDailyAlerts(
    db,
    measured
      .filter(({ mark }) => mark === 'shifted')
      .map(({ subscriptionId, code, version, psi }) => ({
        subscriptionId,
        type: 'alert.score_drift',
        day,
        subject: `${code} ${version}`,
        data: { code, version, day, psi },
      })),
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
