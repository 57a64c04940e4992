import pg from 'pg'
import type { Finding } from '../../db/checks/finding.ts'
import { connectionConfig } from '../../db/postgres/database.ts'
import { tlsOptions } from '../../db/queue/open-redis.ts'
import { parseRedisUrl } from '../../db/runtime/redis-url.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import type { Installation, Variables } from './installation.ts'
import { type Chain, readChain, type TlsServer } from './read-chain.ts'
import { Skipped } from './skipped.ts'

const WARNING_DAYS = 21

/** A connection of a process, by the variable that has its address. */
export interface Target extends TlsServer {
  readonly variable: string
  /** Whether the process encrypts, and rejects certificates that it cannot verify. */
  readonly mode: 'off' | 'unverified' | 'verified'
  /** The variables that set the mode, if there is one, and name the certificate authority. */
  readonly tlsVariable?: string
  readonly caVariable: string
}

/** Checks the certificates of all servers, as the processes verify them. */
export const checkTls: Check = {
  name: 'tls',
  async run(installation) {
    const targets = listTargets(installation)
    if (targets.length === 0) throw new Skipped('all servers are on this machine, or not set')
    const results = await Promise.all(targets.map(checkTarget))
    return {
      saw: results.map(({ saw }) => saw).join('; '),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

/** The servers of the environment and of `--url`, without those on sockets or, unencrypted, on this machine. */
function listTargets({ variables, options }: Installation): Target[] {
  const targets = [
    ...(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const).map((name) =>
      postgresTarget(name, variables),
    ),
    ...redisTargets(variables),
    httpsTarget('CAPTURE_STORE_URL', variables.CAPTURE_STORE_URL?.endpoint),
    httpsTarget('--url', options.url?.href),
  ]
  return targets.filter((target) => target !== undefined)
}

function postgresTarget(
  variable: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_REPLICA_URL',
  variables: Variables,
): Target | undefined {
  const url = variables[variable]
  if (url === undefined) return undefined
  const { DATABASE_TLS: tls, DATABASE_CA: ca } = variables
  const { host, port, ssl } = new pg.Client(connectionConfig({ url, tls, ca, poolMax: 1 }))
  const { ca: trusted = ca } = settingsOf(ssl)
  const mode = modeOf(ssl)
  if (host.startsWith('/') || (mode === 'off' && isThisMachine(host))) return undefined
  return {
    ...{
      variable,
      host,
      port,
      mode,
      protocol: 'postgres',
      tlsVariable: 'DATABASE_TLS',
      caVariable: 'DATABASE_CA',
    },
    ca: trusted,
  }
}

/** The package's types know a boolean only; `sslmode` and `sslrootcert` of the URL are in it too. */
const settingsOf = (ssl: unknown): { rejectUnauthorized?: boolean; ca?: string } =>
  typeof ssl === 'object' && ssl !== null ? ssl : {}

/** @param tls the options of TLS that the process connects with. */
function modeOf(tls: unknown): Target['mode'] {
  if (!tls) return 'off'
  return settingsOf(tls).rejectUnauthorized === false ? 'unverified' : 'verified'
}

/** The server, or the sentinels or nodes that the URL names. */
function redisTargets({ REDIS_URL, REDIS_TLS: tls, REDIS_CA: ca }: Variables): Target[] {
  if (REDIS_URL === undefined) return []
  const address = parseRedisUrl(REDIS_URL)
  const mode = modeOf(tlsOptions({ tls, ca }, address.tls))
  const variables = { variable: 'REDIS_URL', tlsVariable: 'REDIS_TLS', caVariable: 'REDIS_CA' }
  return address.hosts
    .map(
      ({ host, port }) =>
        ({ ...variables, host: host || 'localhost', port, mode, protocol: 'tls', ca }) as const,
    )
    .filter(({ host }) => mode !== 'off' || !isThisMachine(host))
}

function httpsTarget(variable: string, address: string | undefined): Target | undefined {
  const url = URL.parse(address ?? '')
  if (url?.protocol !== 'https:') return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    variable,
    host,
    port: Number(url.port || 443),
    mode: 'verified',
    protocol: 'tls',
    caVariable: 'NODE_EXTRA_CA_CERTS',
  }
}

const isThisMachine = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

async function checkTarget(target: Target): Promise<{ saw: string; findings: Finding[] }> {
  const { variable, host, port, mode } = target
  if (mode === 'off') {
    const message = `${variable}: the connection to ${host} is not encrypted`
    const remedy = `Set ${target.tlsVariable} to verified, unless the network is private`
    return { saw: `${variable} not encrypted`, findings: [{ level: 'note', message, remedy }] }
  }
  try {
    const chain = await readChain(target)
    if (chain)
      return {
        saw: `${variable} issued by ${chain.issuer}, for ${daysUntil(chain.expiresAt)} days`,
        findings: judgeChain(target, chain),
      }
    const message = `${variable}: the Postgres at ${host}:${port} has no TLS, and the processes require it`
    const remedy = 'Set ssl = on with ssl_cert_file and ssl_key_file in postgresql.conf'
    return { saw: `${variable} without TLS`, findings: [{ level: 'error', message, remedy }] }
  } catch (error) {
    const message = `${variable}: no TLS connection to ${host}:${port}: ${describeError(error)}`
    return {
      saw: `${variable} without TLS`,
      findings: [
        { level: 'error', message, remedy: 'Check the address, and that the server has TLS on this port' },
      ],
    }
  }
}

/** Judges the certificates of a server. @param now for tests. */
export function judgeChain(
  target: Pick<Target, 'variable' | 'host' | 'mode' | 'tlsVariable' | 'caVariable'>,
  chain: Chain,
  now = new Date(),
): Finding[] {
  const { variable, host, mode, tlsVariable, caVariable } = target
  const findings: Finding[] = []
  const days = daysUntil(chain.expiresAt, now)
  if (mode === 'unverified')
    findings.push({
      level: 'warning',
      message: `${variable}: the connection to ${host} is encrypted, but its certificate is not verified: who controls the network can read it`,
      remedy: `Set ${tlsVariable} to verified${chain.fault === undefined ? '' : `, and ${caVariable} to the PEM of the certificate authority if the provider publishes one`}`,
    })
  else if (chain.fault !== undefined && days >= 0)
    findings.push({
      level: 'error',
      message: `${variable}: the certificate of ${host} is not accepted (${chain.fault}): it is for ${chain.names}, issued by ${chain.issuer}`,
      remedy:
        chain.fault === 'ERR_TLS_CERT_ALTNAME_INVALID'
          ? `Use a name of the certificate in ${variable}, or issue a certificate for ${host}`
          : `Set ${caVariable} to the PEM of the certificate authority that issued it, or let the server send its whole chain`,
    })
  if (days < 0)
    findings.push({
      level: mode === 'verified' ? 'error' : 'warning',
      message: `${variable}: the certificate of ${host} expired on ${isoDay(chain.expiresAt)}`,
      remedy:
        'Renew it, and let the server read the new one: select pg_reload_conf(), a restart of Redis, or a reload of the proxy',
    })
  else if (days < WARNING_DAYS)
    findings.push({
      level: 'warning',
      message: `${variable}: the certificate of ${host} expires in ${days} days, on ${isoDay(chain.expiresAt)}`,
      remedy: 'Renew it, and check why it was not renewed by itself, such as with: certbot renew --dry-run',
    })
  return findings
}

const DAY_MS = 86_400_000

const daysUntil = (date: Date, now = new Date()) => Math.floor((date.getTime() - now.getTime()) / DAY_MS)
const isoDay = (date: Date) => date.toISOString().slice(0, 10)
