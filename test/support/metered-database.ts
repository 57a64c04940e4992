import { afterAll, beforeAll } from 'vitest'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { openTestDatabase } from './stores.ts'

interface MeteredDatabase {
  /** Of the runtime role. */
  readonly url: string
  /** Of the runtime role, with one connection, so that `countPages` sees all that it reads. */
  readonly db: Db
  readonly owner: Db
}

/** Opens a database for the tests of a file. @returns an object that has its members once hooks run. */
export function withMeteredDatabase(): MeteredDatabase {
  const opened = {} as MeteredDatabase
  let close = async () => {}
  beforeAll(async () => {
    const stored = await openTestDatabase()
    const db = openDatabase({ url: stored.url, poolMax: 1 })
    const owner = openDatabase({ url: stored.ownerUrl, poolMax: 2 })
    Object.assign(opened, { url: stored.url, db, owner })
    close = async () => {
      await db.destroy()
      await owner.destroy()
      await stored.drop()
    }
  })
  afterAll(() => close())
  return opened
}
