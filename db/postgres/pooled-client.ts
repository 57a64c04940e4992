import pg, { type Connection, type QueryConfig } from 'pg'
import { ClosingClient } from './closing-client.ts'
import { STATEMENT_MS } from './timeouts.ts'

type Callback = (error: Error | null, result?: unknown) => void

/**
 * A connection through a pooler, which may give each transaction another session of Postgres. Poolers refuse or ignore timeouts of
 * the connection, so each transaction sets its own, without a round trip: `begin` sets them with the same message, and a
 * statement outside of a transaction is sent with a first one that does.
 *
 * It costs Postgres 0.03 ms a statement or transaction. Nothing remains in the session for its next user.
 */
export class PooledClient extends ClosingClient {
  #inTransaction = false

  /** As node-postgres's, with the parameters that Knex and `runStatement` call it with. */
  // biome-ignore lint/suspicious/noExplicitAny: implements its overloads
  override query(statement: any, callback?: any): any {
    const config: QueryConfig = typeof statement === 'string' ? { text: statement } : statement
    if (BEGIN.test(config.text)) {
      this.#inTransaction = true
      return this.#send(
        new pg.Query({ ...config, text: `${config.text} ${TIMEOUTS_OF_TRANSACTION}` }),
        callback,
      )
    }
    if (END.test(config.text)) this.#inTransaction = false
    else if (!this.#inTransaction) return this.#send(new TimedQuery(config), callback)
    return this.#send(new pg.Query(config), callback)
  }

  /** @returns a promise of the result, unless there is a callback. */
  #send(query: pg.Query, callback?: Callback): Promise<unknown> | undefined {
    if (callback) {
      super.query(Object.assign(query, { callback }))
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.#send(query, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }
}

const BEGIN = /^begin\b/i
/** Not `rollback to`, which ends a savepoint. */
const END = /^(commit|rollback);?$/i

const TIMEOUTS_OF_TRANSACTION = `set local statement_timeout = ${STATEMENT_MS}; set local idle_in_transaction_session_timeout = ${STATEMENT_MS}`

/** Sets the timeout of the transaction and returns no rows. */
const SET_TIMEOUT = `select where set_config('statement_timeout', '${STATEMENT_MS}', true) is null`

/** What node-postgres's `Query` has besides the members that its types declare. */
interface QueryInternals {
  new (
    config: QueryConfig & { queryMode: 'extended' },
  ): pg.Query & {
    prepare(connection: Connection): void
    handleCommandComplete(...parameters: unknown[]): void
  }
}

/**
 * A statement that follows one that sets its timeout. Up to the message Sync, which both share, Postgres runs them in one
 * transaction.
 *
 * @see PostgreSQL manual, "Message Flow", Extended Query
 */
class TimedQuery extends (pg.Query as unknown as QueryInternals) {
  #isTimed = false

  constructor(config: QueryConfig) {
    super({ ...config, queryMode: 'extended' })
  }

  override prepare(connection: Connection): void {
    connection.parse({ name: '', text: SET_TIMEOUT, types: [] }, true)
    connection.bind({}, true)
    connection.execute({}, true)
    super.prepare(connection)
  }

  /** Ignores the end of the first statement. */
  override handleCommandComplete(...parameters: unknown[]): void {
    if (this.#isTimed) super.handleCommandComplete(...parameters)
    this.#isTimed = true
  }
}
