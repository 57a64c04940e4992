import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { receiveDatasets } from '../../db/datasets/receive-datasets.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import { openTenant, type Tenant } from '../support/service.ts'
import { paasEnv } from '../support/start-process.ts'
import { openTestDatabase, type TestDatabase } from '../support/stores.ts'
import { aStoredUpload } from '../support/workbench.ts'

vi.setConfig({ testTimeout: 60_000 })

let stored: TestDatabase
let db: Db
let tenant: Tenant
let directory: string

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 2 })
  tenant = await openTenant(db)
  directory = await mkdtemp(join(tmpdir(), 'inkling-texts-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await db.destroy()
  await stored.drop()
})

const run = (...args: readonly string[]) => runAdminHere(args, { env: paasEnv({ databaseUrl: stored.url }) })

/** Control characters that a terminal interprets, except line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/

const ODD = [`\u001b[31mred\u009b0m two\r\nlines\u2028'; drop table api_keys; --`, '😀'.repeat(100)] as const

test('client data is printed without control characters and is unchanged when parsed', async () => {
  const uploads = ODD.map((referenceNumber) =>
    aStoredUpload(tenant.subscriptionId, {
      referenceNumber,
      additionalInfo: { [referenceNumber]: referenceNumber },
    }),
  )
  await receiveDatasets(db, uploads)
  const listed = await run('dataset', 'list', tenant.name, '--status', 'received')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).not.toMatch(CONTROL)
  const { datasets } = JSON.parse(listed.stdout) as { datasets: { referenceNumber: string }[] }
  expect(datasets.map(({ referenceNumber }) => referenceNumber).toSorted()).toEqual(ODD.toSorted())

  const shown = await run('dataset', 'show', tenant.name, ODD[0])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).not.toMatch(CONTROL)
  expect(JSON.parse(shown.stdout).referenceNumber).toBe(ODD[0])
})

test('a key label of up to 100 characters of any plane is stored unchanged', async () => {
  const create = (label: string) => run('key', 'create', tenant.name, '--role', 'uploader', '--label', label)
  for (const { code, stdout } of await Promise.all(ODD.map(create))) {
    expect(code).toBe(0)
    expect(stdout).not.toMatch(CONTROL)
  }
  const { stdout } = await run('key', 'list', tenant.name)
  expect(stdout).not.toMatch(CONTROL)
  const { keys } = JSON.parse(stdout) as { keys: { label: string | null }[] }
  expect(keys.flatMap(({ label }) => label ?? []).toSorted()).toEqual(ODD.toSorted())

  const tooLong = await create('😀'.repeat(101))
  expect(tooLong).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('1 to 100 characters'),
  })
})

test('an invalid e-mail address, name or code is rejected with a helpful message instead of a database error', async () => {
  const [odd] = ODD
  for (const { code, stdout, stderr } of await Promise.all([
    run('user', 'create', tenant.name, odd, '--role', 'analyst', '--password-stdin'),
    run('fragment', 'deploy', tenant.name, odd, '--kind', 'velocity'),
    run('subscription', 'suspend', odd),
    run('subscription', 'create', odd),
  ])) {
    expect([code, stdout]).toEqual([stderr.startsWith('No such') ? 1 : 2, ''])
    expect(stderr).toMatch(/is not an e-mail address|The code|No such subscription|The name/)
    expect(stderr).not.toMatch(/[\r\t]/)
  }
})

test('the texts of a scorecard are stored unchanged or rejected with a message', async () => {
  const deploy = async (odd: string) => {
    const code = `card-${odd.length}`
    const file = join(directory, `${code}.json`)
    await writeFile(file, JSON.stringify(aScorecardDefinition({ name: `x${odd}`, description: odd })))
    return run('scorecard', 'deploy', tenant.name, code, file)
  }
  const [one, other, rejected] = await Promise.all([...ODD, 'a\0\ud800'].map(deploy))
  for (const [n, accepted] of [one, other].entries()) {
    expect(accepted).toMatchObject({ code: 0, stderr: '' })
    expect(accepted?.stdout).not.toMatch(CONTROL)
    expect(JSON.parse(accepted?.stdout ?? '').name).toBe(`x${ODD[n]}`)
  }
  expect(rejected).toEqual({
    code: 1,
    stdout: '',
    stderr: 'A text contains a character that Postgres cannot store: NUL or an unpaired surrogate\n',
  })
})
