import { ClosingClient } from './closing-client.ts'

/**
 * Returns the kind of connection for migrations, whose statements fail when they have waited for a lock for `lockMs`: behind a statement that waits for an
 * exclusive lock, every read and write of its table waits too.
 *
 * An index that is built or dropped concurrently is excepted. It waits for transactions that began earlier, such as a backup, while nothing waits
 * for it; and when it failed, the whole build would have to be repeated.
 */
export const migrationClient = (lockMs: number) =>
  class extends ClosingClient {
    override async connect(): Promise<this> {
      await super.connect()
      await super.query(`set lock_timeout = ${lockMs}`)
      return this
    }

    /** As node-postgres's. Statements of a connection run in the order of the calls. */
    // biome-ignore lint/suspicious/noExplicitAny: implements its overloads
    override query(statement: any, ...parameters: any[]): any {
      const text: string = typeof statement === 'string' ? statement : statement.text
      const send = () => (super.query as (...all: unknown[]) => unknown).call(this, statement, ...parameters)
      if (!CONCURRENTLY.test(text)) return send()
      void super.query('set lock_timeout = 0').catch(ignore)
      const result = send()
      void super.query(`set lock_timeout = ${lockMs}`).catch(ignore)
      return result
    }
  }

const CONCURRENTLY = /^\s*(create (unique )?|drop |re)index concurrently\b/i

/** A connection that fails here fails the statement beside it too. */
const ignore = () => undefined
