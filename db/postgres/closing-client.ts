import pg from 'pg'
import { readBinaryResults } from './read-binary.ts'

/**
 * Reads binary results, and closes its socket when it cannot connect. After an error of its own, such as a missing password, node-postgres leaves it open, and
 * Knex forgets the connection: an operator's command ended only when the socket had been silent for long enough.
 */
export class ClosingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    readBinaryResults(this.connection)
  }

  override async connect(): Promise<this> {
    try {
      await super.connect()
      return this
    } catch (error) {
      this.connection.stream.destroy()
      throw error
    }
  }
}
