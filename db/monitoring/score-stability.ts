import { type Db, queryRows, valuesOf } from '../postgres/database.ts'

/** How far the scores of a version under a code had shifted on a day. */
export interface DayStability {
  readonly subscriptionId: number
  readonly code: string
  readonly version: string
  /** Population stability index of the scores. */
  readonly psi: number
  /** `stable`, `shifting` or `shifted`. */
  readonly mark: string
  /** Of the characteristics that have shifted most, the most first. */
  readonly characteristics: readonly { readonly name: string; readonly csi: number }[]
}

/** Days for which it is kept, as counts are. */
const KEPT_DAYS = 400

/**
 * Keeps what was measured of a day, in place of what was measured of it before. Rows are written in the order of their key:
 * without it, workers that measure at once deadlock.
 *
 * @param day in UTC, as in 2026-11-21.
 */
export async function saveStability(db: Db, day: string, measured: readonly DayStability[]): Promise<void> {
  if (measured.length === 0) return
  const keyOf = (of: DayStability) => JSON.stringify([of.subscriptionId, of.code, of.version])
  const { sql, bindings } = valuesOf(
    ['integer', 'text', 'text', 'date', 'double precision', 'text', 'json'],
    measured
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map((of) => [
        ...[of.subscriptionId, of.code, of.version, day, of.psi, of.mark],
        JSON.stringify(of.characteristics),
      ]),
  )
  await queryRows(
    db,
    `insert into score_stability (subscription_id, code, version, day, psi, mark, characteristics) values ${sql}
     on conflict (subscription_id, code, version, day)
     do update set psi = excluded.psi, mark = excluded.mark, characteristics = excluded.characteristics`,
    bindings,
  )
  await queryRows(db, 'delete from score_stability where day < current_date - ?::integer', [KEPT_DAYS])
}

/** A day as it was measured. */
export interface StabilityDay extends Pick<DayStability, 'psi' | 'mark'> {
  readonly day: string
  /** JSON text of `characteristics`. */
  readonly characteristics: string
}

/** What was measured of a version, newest day first. */
export async function listStability(
  db: Db,
  subscriptionId: number,
  { code, version, days }: { code: string; version: string; days: number },
): Promise<StabilityDay[]> {
  return queryRows(
    db,
    `select to_char(day, 'YYYY-MM-DD') as day, psi, mark, characteristics from score_stability
     where subscription_id = ? and code = ? and version = ? and day >= current_date - ?::integer
     order by score_stability.day desc`,
    [subscriptionId, code, version, days],
  )
}
