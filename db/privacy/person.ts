import { createHmac, randomBytes } from 'node:crypto'
import { mayHaveIdentifier } from '../datasets/identifier-search.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'

/** Kinds of identifiers that name a person. Published: never renamed. */
export const PERSON_KINDS = ['client', 'device'] as const

export type PersonKind = (typeof PERSON_KINDS)[number]

/** A person, by the client id of their Additional Info or the device id of their captures; compared exactly. */
export interface Person {
  readonly kind: PersonKind
  readonly id: string
}

/** The other kind of identifier, with which this one forms pairs of velocity. */
export const otherKind = (kind: PersonKind): PersonKind => (kind === 'client' ? 'device' : 'client')

/** The identifier of a dataset or collection `d`. */
const IDENTIFIERS = { client: `d.additional_info ->> 'clientId'`, device: 'd.device_id' } as const

export const identifierOf = (kind: PersonKind): Sql => raw(IDENTIFIERS[kind])

/**
 * The condition that a dataset `d` is of the person; an index answers it, in the order of `-d.id`.
 *
 * A `case`, of which Postgres expects nearly all rows to match. Of two equalities it expects the product of their shares: few rows, so that it would
 * read and sort all datasets of a frequent device for each page of them.
 */
export const isOf = ({ kind, id }: Person): Sql =>
  sql`${mayHaveIdentifier(kind, id)} and case when ${identifierOf(kind)} = ${id} then true end is not null`

/** The condition that a collection `d`, which is no dataset yet, is of the person; an index on the identifier's hash answers it. */
export function isCollectionOf({ kind, id }: Person): Sql {
  const identifier = identifierOf(kind)
  return sql`${identifier} is not null and hashtextextended(${identifier}, 0) = hashtextextended(${id}, 0)
    and ${identifier} = ${id}`
}

/**
 * Returns the keyed hash that requests and the audit log name a person by, as 64 hexadecimal digits: it is the same for the same identifier of a
 * subscription, and cannot be computed without the subscription's secret.
 */
export async function hashPerson(db: Db, subscriptionId: number, { kind, id }: Person): Promise<string> {
  const secret = await findSecret(db, subscriptionId)
  return createHmac('sha256', secret).update(`${kind} ${id}`).digest('hex')
}

async function findSecret(db: Db, subscriptionId: number): Promise<Buffer> {
  const [row] = await queryRows<{ secret: Buffer }>(
    db,
    sql`insert into privacy_secrets as s (subscription_id, secret) values (${subscriptionId}, ${randomBytes(32)})
        on conflict (subscription_id) do update set secret = s.secret returning secret`,
  )
  if (!row) throw new Error('insert returned no row')
  return row.secret
}
