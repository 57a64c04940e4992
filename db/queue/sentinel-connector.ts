import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis'

type ReportEvent = Parameters<SentinelConnector['connect']>[0]

/** Private in ioredis, and the only place where errors of a connection to a sentinel can be listened to. */
interface OpensSentinels {
  connectToSentinel(...parameters: readonly [{ host?: string; port?: number }, ...unknown[]]): Redis
}

const { connectToSentinel } = SentinelConnector.prototype as unknown as OpensSentinels

/**
 * Asks sentinels for the server, and connects again when they announce another one.
 *
 * The connector of ioredis 6.0 also listens to announcements while it connects. There, one that arrives during this time ends the client for
 * good, without an error: of 40 clients all were lost at the second kill of a server. And it prints errors of connections to sentinels to the
 * console; with this one, the client emits `sentinelError`, as for a sentinel that does not know the server.
 */
export class QuietSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions) // those of the client that ioredis opens with this class
  }

  override connect(report: ReportEvent): ReturnType<SentinelConnector['connect']> {
    this.disconnect() // ends the listeners of the last connection
    const opens = this as unknown as OpensSentinels
    opens.connectToSentinel = (sentinel, ...options) =>
      connectToSentinel.call(this, sentinel, ...options).on('error', ({ message }) => {
        report('sentinelError', new Error(`Sentinel ${sentinel.host}:${sentinel.port}: ${message}`))
      })
    return super.connect(report)
  }
}
