import { randomBytes } from 'node:crypto'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { takeTurn } from '../postgres/take-turn.ts'
import type { ObjectStore } from './object-store.ts'

type Marked = Pick<ObjectStore, 'readMark' | 'writeMark'>

/** Time after which the mark is replaced, when a worker next sweeps or removes objects. */
const TURN_SECONDS = 300

/** Marks in the database are rows of the turns, since both are about what processes did last. */
const PREFIX = 'bucket mark '

/**
 * Whether the objects of the bucket belong to this database, so that they may be removed. A copy of a database has the same subscriptions and
 * ids, so its names of objects are those of the original.
 *
 * Bucket and database have the same random mark, which the owner replaces every 5 to 10 minutes: a copy, also one of the disk, soon has a mark that is no
 * longer in the bucket. A bucket without a mark becomes this database's. The database keeps the marks of the last hour, so that a process that ends between
 * its two writes, or is late with the second one, changes nothing.
 *
 * @throws ObjectStoreError if the store is unavailable.
 */
export async function confirmOwner(db: Db, store: Marked): Promise<boolean> {
  const owner = await findOwner(db, store)
  if (owner === 'other') return false
  const isDue = await takeTurn(db, 'bucket mark', TURN_SECONDS)
  if (owner === 'none' || isDue) await takeBucket(db, store)
  return true
}

/** Finds the database that the bucket belongs to: `none` if it has no mark yet. Changes nothing. @throws as `confirmOwner`. */
export async function findOwner(
  db: Db,
  store: Pick<ObjectStore, 'readMark'>,
): Promise<'this' | 'other' | 'none'> {
  const found = await store.readMark()
  if (found === undefined) return 'none'
  const known = await queryRows(db, sql`select from maintenance_turns where task = ${PREFIX + found}`)
  return known.length > 0 ? 'this' : 'other'
}

/** Makes the bucket this database's; another database that it belonged to removes nothing from it any more. */
export async function takeBucket(db: Db, store: Marked): Promise<void> {
  const mark = randomBytes(16).toString('hex')
  await queryRows(db, sql`insert into maintenance_turns (task, begun_at) values (${PREFIX + mark}, now())`)
  await store.writeMark(mark)
  await queryRows(
    db,
    sql`delete from maintenance_turns
        where starts_with(task, ${PREFIX}) and task <> ${PREFIX + mark} and begun_at < now() - interval '1 hour'`,
  )
}
