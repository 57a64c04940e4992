import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { parseRedisUrl } from '../runtime/redis-url.ts'
import { QuietSentinelConnector } from './sentinel-connector.ts'

/** Where Redis is, and how to connect to it. */
export interface RedisLocation {
  /** @see parseRedisUrl */
  readonly url: string
  readonly tls?: 'off' | 'unverified' | 'verified' | undefined
  /** PEM of the trusted authority; the system's if undefined. */
  readonly ca?: string | undefined
  /** Queues over which jobs are spread in a cluster; 4 by default. @see listShards */
  readonly shards?: number | undefined
}

/** A connection to Redis: to a server, also one that sentinels name, or to a cluster. */
export type RedisClient = Redis | Cluster

/** Longer than any response takes: for a worker, Redis delays its response by up to 10 s while no job waits. */
const SILENCE_MS = 15_000

/** Longer than a sentinel or a node takes to say where the servers are; then the next one is asked. */
const DISCOVERY_MS = 2_000

const CONNECT_MS = 5_000

const retryAfter = (attempt: number) => Math.min(attempt * 100, 2_000)

/**
 * Opens a Redis client for BullMQ, which reconnects indefinitely, within 2 s of Redis being back. The caller closes it.
 *
 * A connection that gets no response, as after a failover, is dropped after 15 s; TCP alone takes 15 minutes.
 *
 * @param failFast commands fail at once while Redis is unavailable, instead of waiting for it.
 */
export function openRedis(location: RedisLocation, { failFast }: { failFast: boolean }): RedisClient {
  const { kind, hosts, username, password, ...address } = parseRedisUrl(location.url)
  const tls = tlsOptions(location, address.tls)
  const server = {
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...(tls && { tls }),
  } satisfies RedisOptions
  const enableOfflineQueue = !failFast
  if (kind === 'cluster')
    return new Cluster([...hosts], {
      redisOptions: { ...server, username, password },
      enableOfflineQueue,
      clusterRetryStrategy: retryAfter,
      slotsRefreshTimeout: DISCOVERY_MS,
      // certificates are for names: a node is reached by the name that the URL or the cluster gives it
      dnsLookup: (host, found) => found(null, host),
    })

  const single = {
    ...server,
    enableOfflineQueue,
    retryStrategy: retryAfter,
    reconnectOnError: (error: Error) => (isDemoted(error) ? RECONNECT_AND_SEND_AGAIN : false),
  } satisfies RedisOptions
  if (kind === 'server') return new Redis(location.url, single)
  return new Redis({
    ...single,
    username,
    password,
    db: address.database,
    sentinels: [...hosts],
    name: address.master,
    sentinelUsername: address.sentinelUsername,
    sentinelPassword: address.sentinelPassword,
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: DISCOVERY_MS,
    sentinelRetryStrategy: retryAfter,
    // sentinels announce a failover: the old server may not end its connections, when the network around it is broken
    failoverDetector: true,
    Connector: QuietSentinelConnector,
    sentinelReconnectStrategy: retryAfter,
  })
}

/** Lists the connections to servers that take jobs: the server itself, or the masters of a cluster. */
export const listMasters = (redis: RedisClient): Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis]

const RECONNECT_AND_SEND_AGAIN = 2 as const

/** Whether the server became a replica while we were connected: the address leads to another one, or soon will. */
const isDemoted = ({ message }: Error) => message.startsWith('READONLY')

/** Returns the options of TLS; undefined where connections are not encrypted. @param isInUrl whether the URL asks for TLS. */
export function tlsOptions(
  { tls, ca }: Pick<RedisLocation, 'tls' | 'ca'>,
  isInUrl: boolean,
): RedisOptions['tls'] {
  const isSet = tls === 'unverified' || tls === 'verified' || (tls === undefined && ca !== undefined)
  if (isSet) return { rejectUnauthorized: tls !== 'unverified', ...(ca && { ca }) }
  return isInUrl ? {} : undefined
}
