import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killProcesses, PROJECT, paasEnv, startWeb, startWorker } from '../support/start-process.ts'
import { claimRedisUrl, openTestDatabase, type TestDatabase } from '../support/stores.ts'

/** Modules of both processes at most, by package or folder: a little more than there are. Of any other package, 16. */
const MOST: Readonly<Record<string, number>> = {
  api: 260,
  db: 235,
  worker: 160,
  lodash: 255, // of knex
  bullmq: 180,
  zod: 100,
  ajv: 90,
  knex: 80,
  '@opentelemetry/api': 60, // two copies would be 102
  semver: 50, // of bullmq, as cron-parser
  ioredis: 50,
  'prom-client': 35,
  jose: 25,
  'cron-parser': 20,
  pg: 20,
}
const MOST_OF_OTHERS = 16

/** What only some requests or installations need. */
const ON_DEMAND = [
  ...['@aws-sdk/client-s3', '@simplewebauthn/server', '@zxcvbn-ts/language-common', 'csv-stringify'],
  ...['openid-client', 'swagger-ui-dist', '@opentelemetry/sdk-trace', 'saxes', 'csv-parse'],
  'db/migrations',
]

let folder: string
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-modules-'))
  database = await openTestDatabase()
})
afterAll(async () => {
  await killProcesses()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts a process, ends it, and returns the files that it loaded. */
async function listModules(start: typeof startWorker): Promise<string[]> {
  const file = join(folder, 'modules.json')
  const hook = new URL('../support/record-modules.ts', import.meta.url)
  const env = { NODE_OPTIONS: `--import=${hook}`, MODULES_FILE: file }
  const started = await start(paasEnv({ databaseUrl: database.url, redisUrl: await claimRedisUrl() }, env))
  await started.end('SIGTERM')
  const urls: string[] = JSON.parse(readFileSync(file, 'utf8'))
  return urls.map((url) => relative(PROJECT, fileURLToPath(url)))
}

/** Package of a file, otherwise its folder. */
const ownerOf = (path: string) =>
  /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(/\/.*/, '')

test.each([
  ['web', startWeb, 1_500],
  ['worker', startWorker, 1_340],
] as const)(
  'a start of %s loads no more modules than it needs: each costs 0.5 ms',
  async (_, start, most) => {
    const modules = await listModules(start)
    const owners = Map.groupBy(modules, ownerOf)
    const grown = [...owners]
      .filter(([owner, files]) => files.length > (MOST[owner] ?? MOST_OF_OTHERS))
      .map(([owner, files]) => `${owner}: ${files.length}`)
    expect(grown).toEqual([])
    expect(modules.filter((path) => ON_DEMAND.some((name) => path.includes(`${name}/`)))).toEqual([])
    expect(
      modules.length,
      [...owners].map(([owner, files]) => `${owner} ${files.length}`).join(', '),
    ).toBeLessThan(most)
    expect(owners.get('bullmq')).toBeDefined() // the files are recorded
  },
)
