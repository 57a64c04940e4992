import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis'

type ErrorListener = Parameters<SentinelConnector['connect']>[0]

/**
 * Asks sentinels for the server, and connects again when they announce another one.
 *
 * Unlike the connector of ioredis 6.0, it does not listen to announcements while it connects. There, one that arrives during this time
 * ends the client for good, without an error: of 40 clients all were lost at the second kill of a server.
 */
export class QuietSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions) // those of the client that ioredis opens with this class
  }

  override connect(onError: ErrorListener): ReturnType<SentinelConnector['connect']> {
    this.disconnect() // ends the listeners of the last connection
    return super.connect(onError)
  }
}
