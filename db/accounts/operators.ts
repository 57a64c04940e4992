import type { AuditAction } from '../audit/audit-actions.ts'
import { addSecurityEventCounts } from '../audit/security-event-counts.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'

/** Name of an operator: unique, and none that the pages of operators accept otherwise. */
export const OPERATOR_NAME = /^(?!operator$)[a-z0-9][a-z0-9._@+-]{0,63}$/

/** An operator's own account for `/ops`. */
export interface Operator {
  readonly id: number
  readonly name: string
  readonly createdAt: string
  /** Account of the operating system that created it. */
  readonly createdBy: string
  readonly passwordChangedAt: string
  readonly disabledAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
}

/** What a sign-in is checked against. */
export interface OperatorCredentials {
  readonly id: number
  readonly name: string
  readonly passwordHash: string
  readonly disabled: boolean
  /** Whether `last_used_at` is older than a minute. */
  readonly unused: boolean
}

/** Creates an account. @throws a unique violation if the name is taken. */
export const createOperator = (
  db: Db,
  operator: { name: string; passwordHash: string; createdBy: string },
): Promise<Operator | undefined> =>
  change(
    db,
    'operator.create',
    sql`insert into operators (name, password_hash, created_by)
        values (${operator.name}, ${operator.passwordHash}, ${operator.createdBy})`,
  )

/** Disables or enables an account; a disabled one is rejected at once. @returns undefined if there is no such account. */
export const setOperatorDisabled = (db: Db, name: string, disabled: boolean): Promise<Operator | undefined> =>
  change(
    db,
    disabled ? 'operator.disable' : 'operator.enable',
    disabled
      ? sql`update operators set disabled_at = coalesce(disabled_at, now()) where name = ${name}`
      : sql`update operators set disabled_at = null where name = ${name}`,
  )

/** @returns undefined if there is no such account. */
export const changeOperatorPassword = (
  db: Db,
  name: string,
  passwordHash: string,
): Promise<Operator | undefined> =>
  change(
    db,
    'operator.password',
    sql`update operators set password_hash = ${passwordHash}, password_changed_at = now() where name = ${name}`,
  )

/** Runs a statement about one operator, and counts it as a security event. */
function change(db: Db, event: AuditAction, statement: Sql): Promise<Operator | undefined> {
  return db.transaction(async (trx) => {
    const [operator] = await queryRows<Operator>(trx, sql`${statement} returning ${COLUMNS}`)
    if (operator) await addSecurityEventCounts(trx, [{ event, outcome: 'success', reason: '', events: 1 }])
    return operator
  })
}

const COLUMNS = sql`id, name, ${utcText('created_at')} as "createdAt", created_by as "createdBy",
  ${utcText('password_changed_at')} as "passwordChangedAt", ${utcText('disabled_at')} as "disabledAt",
  ${utcText('last_used_at')} as "lastUsedAt"`

/** Lists up to 1,000 accounts by name. */
export const listOperators = (db: Db): Promise<Operator[]> =>
  queryRows(db, sql`select ${COLUMNS} from operators order by name limit 1000`)

export async function hasOperators(db: Db): Promise<boolean> {
  const [row] = await queryRows<{ any: boolean }>(
    db,
    sql`select exists (select from operators where disabled_at is null) as any`,
  )
  return row?.any ?? false
}

export async function findOperator(db: Db, name: string): Promise<OperatorCredentials | undefined> {
  const [operator] = await queryRows<OperatorCredentials>(
    db,
    sql`select id, name, password_hash as "passwordHash", disabled_at is not null as disabled,
               coalesce(last_used_at < now() - interval '1 minute', true) as unused
        from operators where name = ${name}`,
  )
  return operator
}

export async function noteOperatorUse(db: Db, id: number): Promise<void> {
  await queryRows(db, sql`update operators set last_used_at = date_trunc('minute', now()) where id = ${id}`)
}
