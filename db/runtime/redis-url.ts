/** A host of a `REDIS_URL`. IPv6 addresses have no brackets. */
export interface RedisHost {
  readonly host: string
  readonly port: number
}

/** What a `REDIS_URL` says. */
export interface RedisAddress {
  readonly kind: 'server' | 'cluster' | 'sentinel'
  readonly tls: boolean
  /** The server itself, some nodes of the cluster, or some of the sentinels. */
  readonly hosts: readonly RedisHost[]
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
  /** Name under which sentinels watch the server; undefined without sentinels. */
  readonly master: string | undefined
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

/** A `REDIS_URL` that cannot be used; the message says what it must be, and holds nothing of the URL. */
export class RedisUrlError extends Error {
  override name = 'RedisUrlError'
}

const SCHEMES =
  'redis://, rediss://, redis+cluster://, rediss+cluster://, redis+sentinel:// or rediss+sentinel://'
const CLUSTER = 'redis+cluster://user:password@host:6379,host:6379'
const SENTINEL = 'redis+sentinel://user:password@host:26379,host:26379/name'

/** Scheme, user and password, hosts, path and query of a URL with several hosts, which `URL` does not parse. */
const SEVERAL_HOSTS =
  /^redis(s?)\+(cluster|sentinel):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/

/**
 * Parses the address of Redis:
 *
 * - `redis://user:password@host:port/database`: one server
 * - `redis+cluster://user:password@host:port,host:port`: nodes of a cluster, which know the others
 * - `redis+sentinel://user:password@host:port,host:port/name/database?sentinelUsername=…&sentinelPassword=…`: sentinels, and
 *   the name under which they watch the server. User and password are those of the server.
 *
 * With `rediss` instead of `redis`, all connections are encrypted. Ports are 6379 by default, of sentinels 26379.
 *
 * @throws RedisUrlError
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [scheme = ''] = text.split('://', 1)
  if (scheme === 'redis' || scheme === 'rediss') return parseServer(text)
  if (/^rediss?\+(cluster|sentinel)$/.test(scheme)) return parseSeveral(text)
  throw new RedisUrlError(`must be a URL that starts with ${SCHEMES}`)
}

function parseServer(text: string): RedisAddress {
  const url = URL.parse(text)
  if (!url) throw new RedisUrlError('must be a URL such as redis://user:password@host:6379/0')
  return {
    kind: 'server',
    tls: url.protocol === 'rediss:',
    hosts: [hostOf(url, 6_379)],
    ...credentialsOf(`${url.username}:${url.password}`),
    database: Number(url.pathname.slice(1)) || 0,
    master: undefined,
    sentinelUsername: undefined,
    sentinelPassword: undefined,
  }
}

function parseSeveral(text: string): RedisAddress {
  const [, s, kind, credentials = '', hosts = '', path = '', query = ''] = SEVERAL_HOSTS.exec(text) ?? []
  const isCluster = text.includes('+cluster:')
  const usage = `must be a URL such as ${isCluster ? CLUSTER : SENTINEL}`
  if (kind === undefined) throw new RedisUrlError(usage)
  const [master = '', database = '0', ...rest] = path.split('/')
  if (isCluster && path !== '' && path !== '0')
    throw new RedisUrlError(`${usage}, without a path: a cluster has the database 0 only`)
  if (!isCluster && (master === '' || rest.length > 0 || !/^\d+$/.test(database)))
    throw new RedisUrlError(`${usage}: after the sentinels, the name under which they watch Redis`)
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B')) // a password may have a +, which is no space here
  for (const name of parameters.keys())
    if (isCluster || !['sentinelUsername', 'sentinelPassword'].includes(name))
      throw new RedisUrlError(
        isCluster
          ? `${usage}, without parameters`
          : `${usage}, with no parameters but sentinelUsername and sentinelPassword`,
      )
  return {
    kind: isCluster ? 'cluster' : 'sentinel',
    tls: s === 's',
    hosts: hosts.split(',').map((host) => parseHost(host, isCluster ? 6_379 : 26_379, usage)),
    ...credentialsOf(credentials),
    database: isCluster ? 0 : Number(database),
    master: isCluster ? undefined : decode(master),
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
  }
}

function parseHost(text: string, defaultPort: number, usage: string): RedisHost {
  const url = URL.parse(`redis://${text}`)
  if (!url || url.hostname === '') throw new RedisUrlError(usage)
  return hostOf(url, defaultPort)
}

const hostOf = (url: URL, defaultPort: number): RedisHost => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: Number(url.port || defaultPort),
})

function credentialsOf(text: string): Pick<RedisAddress, 'username' | 'password'> {
  const [username = '', ...password] = text.split(':')
  return { username: decode(username) || undefined, password: decode(password.join(':')) || undefined }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RedisUrlError('must have each % of user, password and name as %25')
  }
}
