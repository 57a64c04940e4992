import { isIP } from 'node:net'
import { parseRedisUrl, RedisUrlError } from './redis-url.ts'

/** Connections of a process to its stores, as its environment has them. */
interface StoreVariables {
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_DIRECT_URL?: string | undefined
  readonly DATABASE_OWNER_URL?: string | undefined
  readonly DATABASE_REPLICA_URL?: string | undefined
  readonly DATABASE_TLS?: string | undefined
  readonly DATABASE_CA?: string | undefined
  readonly REDIS_URL?: string | undefined
  readonly REDIS_TLS?: string | undefined
  readonly REDIS_CA?: string | undefined
}

/**
 * Returns an error for each store that would be reached over a network without TLS, by the name of its variable. `off`, or
 * `sslmode=disable` in the URL, says in words that the network is private.
 */
export function findUnencryptedStores(env: StoreVariables): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const [variable, store] of STORES) {
    if (env[`${store}_TLS`] !== undefined || env[`${store}_CA`] !== undefined) continue
    const urls = listServers(env[variable] ?? '')
    if (urls.every((url) => isThisMachine(url) || saysHow(url))) continue
    errors[variable] =
      `would be reached over the network without TLS: set ${store}_TLS=verified, or ${store}_TLS=off for a private network`
  }
  return errors
}

/** Variables with the URL of a store, and the beginning of those that say how to connect to it. */
const STORES = [
  ['DATABASE_URL', 'DATABASE'],
  ['DATABASE_DIRECT_URL', 'DATABASE'],
  ['DATABASE_OWNER_URL', 'DATABASE'],
  ['DATABASE_REPLICA_URL', 'DATABASE'],
  ['REDIS_URL', 'REDIS'],
] as const

/** Returns a URL for each server that a URL names; none if it is not a URL. */
function listServers(text: string): readonly URL[] {
  const url = URL.parse(text)
  if (url && !/^rediss?\+/.test(url.protocol)) return [url]
  try {
    const { tls, hosts } = parseRedisUrl(text)
    return hosts.map(
      ({ host }) => new URL(`redis${tls ? 's' : ''}://${isIP(host) === 6 ? `[${host}]` : host}`),
    )
  } catch (error) {
    if (!(error instanceof RedisUrlError)) throw error
    return []
  }
}

/** Whether the URL itself says whether to encrypt. */
const saysHow = ({ protocol, searchParams }: URL): boolean =>
  protocol === 'rediss:' || searchParams.has('sslmode') || searchParams.has('ssl')

/** Whether a URL names this machine: a socket, the loopback, or nothing. */
function isThisMachine({ hostname, searchParams }: URL): boolean {
  const host = decodeURIComponent(searchParams.get('host') ?? hostname).replace(/^\[|\]$/g, '')
  if (host === '' || host.startsWith('/') || host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}
