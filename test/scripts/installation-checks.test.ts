import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { checkClock, clockDifference } from '../../db/checks/check-clock.ts'
import { checkDurability } from '../../db/checks/check-durability.ts'
import { checkServer } from '../../db/checks/check-server.ts'
import type { Finding } from '../../db/checks/finding.ts'
import type { PostgresSettings } from '../../db/checks/postgres-settings.ts'
import type { RedisState } from '../../db/checks/redis-state.ts'
import { judgeConnections, planConnections } from '../../scripts/installation-checks/check-connections.ts'
import { judgeDisk } from '../../scripts/installation-checks/check-disk.ts'
import { checkPorts } from '../../scripts/installation-checks/check-ports.ts'
import { judgeRedis } from '../../scripts/installation-checks/check-redis.ts'
import { judgeSlot } from '../../scripts/installation-checks/check-replication-slots.ts'
import { judgeChain } from '../../scripts/installation-checks/check-tls.ts'
import { judgeVacuum } from '../../scripts/installation-checks/check-vacuum.ts'
import { checkWeb } from '../../scripts/installation-checks/check-web.ts'
import { openInstallation } from '../../scripts/installation-checks/installation.ts'

/** The levels, and each finding that is not a note has something to do. */
function levelsOf(findings: readonly Finding[]): string[] {
  for (const { level, message, remedy } of findings) {
    if (level !== 'note') expect(remedy, message).toBeDefined()
    expect(message).not.toMatch(/undefined|NaN|Infinity|\.$/)
  }
  return findings.map(({ level }) => level)
}

const SETTINGS: PostgresSettings = {
  ...{
    version: 180_004,
    versionName: '18.4',
    role: 'inkling "runtime"',
    database: 'inkling',
    encoding: 'UTF8',
  },
  ...{
    isReadOnly: false,
    fsync: true,
    fullPageWrites: true,
    synchronousCommit: 'on',
    synchronousStandbys: '',
  },
  aheadMs: 0,
}

describe('durability', () => {
  test.each<[Partial<PostgresSettings>, string[]]>([
    [{}, []],
    [{ synchronousCommit: 'local' }, []],
    [{ fsync: false }, ['error']],
    [{ fsync: false, synchronousStandbys: 'other' }, ['warning']], // the standby has each commit
    [{ fsync: false, synchronousStandbys: 'other', synchronousCommit: 'local' }, ['error']],
    [{ synchronousCommit: 'off', synchronousStandbys: 'other' }, ['error']],
    [{ fullPageWrites: false }, ['warning']],
  ])('%j: %j', (settings, levels) => {
    expect(levelsOf(checkDurability({ ...SETTINGS, ...settings }))).toEqual(levels)
  })

  test('names are quoted in the SQL of a remedy', () => {
    const [finding] = checkDurability({ ...SETTINGS, synchronousCommit: 'off' })
    expect(finding?.remedy).toContain('alter role "inkling ""runtime""" reset synchronous_commit;')
  })
})

test.each<[Partial<PostgresSettings>, string[]]>([
  [{}, []],
  [{ version: 140_011, versionName: '14.11' }, ['error']],
  [{ encoding: 'SQL_ASCII' }, ['error']],
  [{ isReadOnly: true }, ['error']],
])('a server with %j: %j', (settings, levels) => {
  expect(levelsOf(checkServer({ ...SETTINGS, ...settings }))).toEqual(levels)
})

test('clocks: a difference counts as far as the time of the answer leaves no doubt', () => {
  expect(clockDifference(1_000, 900, 1_100)).toBe(0)
  expect(clockDifference(1_000, 1_100, 1_200)).toBe(-100)
  expect(clockDifference(1_300, 1_100, 1_200)).toBe(100)
  expect([1_999, 2_000, -29_999, -30_000].map((ms) => levelsOf(checkClock('Redis', ms)))).toEqual([
    [],
    ['warning'],
    ['warning'],
    ['error'],
  ])
})

describe('connections', () => {
  const use = { max: 100, reserved: 3, own: 5, others: 7, roleLimit: null, databaseLimit: null }

  test('each process has its pool, and more for a queue in Postgres', () => {
    const variables = { DATABASE_POOL_MAX: 5, WEB_CONCURRENCY: 4, WORKER_CONCURRENCY: 8 }
    const options = { web: 2, worker: 3 }
    expect(planConnections({ ...variables, REDIS_URL: 'redis://localhost' }, options)).toEqual({
      tables: 55,
      queue: 0,
    })
    expect(planConnections(variables, options)).toEqual({ tables: 55, queue: 8 * 6 + 3 * 14 })
  })

  test.each<[number, Partial<typeof use> | object, string[]]>([
    [40, {}, []],
    [50, {}, ['note']], // during a deployment
    [80, {}, ['warning']],
    [91, {}, ['error']],
    [40, { roleLimit: 30 }, ['error']],
    [40, { databaseLimit: 45 }, ['warning']],
  ])('%d needed, %j: %j', (needed, limits, levels) => {
    expect(levelsOf(judgeConnections(needed, { ...use, ...limits }))).toEqual(levels)
  })
})

describe('redis', () => {
  const state: RedisState = {
    ...{
      server: 'Redis',
      version: '7.0.15',
      isReplica: false,
      policy: 'noeviction',
      usedBytes: 1e6,
      maxBytes: 256e6,
    },
    ...{ persists: true, saveFailed: false, aheadMs: 0 },
  }

  test.each<[Partial<RedisState>, string[]]>([
    [{}, []],
    [{ version: '6.2.0' }, []],
    [{ version: '6.0.9' }, ['warning']],
    [{ version: '4.0.14' }, ['error']],
    [{ server: 'Valkey', version: '7.2.5' }, []],
    [{ isReplica: true }, ['error']],
    [{ saveFailed: true }, ['error']],
    [{ policy: 'volatile-lru' }, ['warning']],
    [{ policy: undefined, persists: undefined, maxBytes: 0 }, []],
    [{ usedBytes: 220e6 }, ['warning']],
    [{ persists: false }, ['note']],
  ])('%j: %j', (changes, levels) => {
    expect(levelsOf(judgeRedis({ ...state, ...changes }))).toEqual(levels)
  })
})

test.each<[number, number | undefined, string[]]>([
  [50e9, undefined, []],
  [50e9, 0, []],
  [50e9, 1e9, []],
  [29e9, 1e9, ['warning']],
  [6e9, 1e9, ['error']],
  [0.9e9, undefined, ['error']],
])('a disk with %d bytes free that fills by %d a day: %j', (free, perDay, levels) => {
  expect(levelsOf(judgeDisk(free, perDay))).toEqual(levels)
})

test('vacuum: what holds it back, by session and name', () => {
  const state = { autovacuum: true, oldestId: 150_000_000, longTransactions: [], preparedTransactions: [] }
  expect(judgeVacuum(state)).toEqual([])
  expect(levelsOf(judgeVacuum({ ...state, oldestId: 1_200_000_000 }))).toEqual(['warning'])
  expect(levelsOf(judgeVacuum({ ...state, oldestId: 1_900_000_000 }))).toEqual(['error'])
  const session = { pid: 4_711, application: 'psql', seconds: 7_200, transactions: 10 }
  const hidden = { pid: 4_712, application: '', seconds: null, transactions: 6_000_000 }
  const held = judgeVacuum({ ...state, longTransactions: [session, hidden], preparedTransactions: ["it's"] })
  expect(levelsOf(held)).toEqual(['warning', 'warning', 'warning'])
  expect(held.map(({ message }) => message)).toEqual([
    expect.stringContaining('session 4711 (psql) has a snapshot 120 minutes old'),
    expect.stringContaining('session 4712 (without a name) has a snapshot 6000000 transactions old'),
    expect.stringContaining("it's"),
  ])
  expect(held[2]?.remedy).toContain("rollback prepared 'it''s';")
})

test('replication slots: unused, far behind, lost', () => {
  const slot = { name: 'replica', active: true, status: 'reserved', retained: 1e6 }
  expect(judgeSlot(slot)).toEqual([])
  for (const changes of [{ active: false }, { retained: 20e9 }, { status: 'lost' }])
    expect(levelsOf(judgeSlot({ ...slot, ...changes }))).toEqual(['warning'])
})

test('certificates: days left, and what the mode of the connection makes of a fault', () => {
  const now = new Date('2026-11-20T00:00:00Z')
  const judge = (mode: 'unverified' | 'verified', day: string, fault?: string) =>
    levelsOf(
      judgeChain(
        {
          variable: 'REDIS_URL',
          host: 'redis.example',
          mode,
          tlsVariable: 'REDIS_TLS',
          caVariable: 'REDIS_CA',
        },
        { fault, names: 'DNS:redis.example', issuer: 'Some CA', expiresAt: new Date(`${day}T00:00:00Z`) },
        now,
      ),
    )
  expect(judge('verified', '2026-12-20')).toEqual([])
  expect(judge('verified', '2026-12-01')).toEqual(['warning'])
  expect(judge('verified', '2026-11-01', 'CERT_HAS_EXPIRED')).toEqual(['error'])
  expect(judge('verified', '2026-12-20', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')).toEqual(['error'])
  expect(judge('unverified', '2026-12-20')).toEqual(['warning'])
  expect(judge('unverified', '2026-11-01', 'CERT_HAS_EXPIRED')).toEqual(['warning', 'warning'])
})

test('a port with a running process of this service is reported as such, and one of another program as a warning', async () => {
  const pages = { PORT: '{"status":"ok"}', WORKER_HEALTH_PORT: '{}', METRICS_PORT: 'inkling_uploads 1' }
  const listening = await Promise.all(
    Object.entries(pages).map(async ([variable, text]) => {
      const server = createServer((_, response) => response.end(text)).listen(0)
      await once(server, 'listening')
      return { variable, server, port: String((server.address() as AddressInfo).port) }
    }),
  )
  const env = Object.fromEntries(listening.map(({ variable, port }) => [variable, port]))
  const { saw, findings } = await checkPorts.run(openInstallation(env, { web: 1, worker: 1 }))
  for (const { server } of listening) server.close()

  const { PORT, WORKER_HEALTH_PORT, METRICS_PORT } = env
  expect(saw).toBe(
    `${PORT} in use by a running process, ${WORKER_HEALTH_PORT} taken, ${METRICS_PORT} in use by a running process`,
  )
  expect(levelsOf(findings)).toEqual(['warning'])
})

test('a page of another program at --url is an error, and its responses are ended although the page never ends', async () => {
  let ended = 0
  const server = createServer((_, response) => {
    response.once('close', () => ended++)
    response.writeHead(200, { 'Content-Type': 'text/html' }).write('<html>')
  }).listen(0)
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { findings } = await checkWeb.run(openInstallation({}, { web: 1, worker: 1, url }))
  expect(levelsOf(findings)).toEqual(['error', 'error'])
  await expect.poll(() => ended, { timeout: 2_000 }).toBe(2) // the time limit of the check is 5 s
  server.closeAllConnections()
  server.close()
})
