import { describe, expect, test } from 'vitest'
import { paasEnv } from '../start-process.ts'
import { openEmptyDatabase, openTestDatabase } from '../stores.ts'
import { withAdmin } from './with-admin.ts'

const { house, withoutDatabase, run, admin, expectRefused } = withAdmin({ service: false })

const COMMANDS = [
  'subscription create',
  'subscription suspend',
  'subscription resume',
  'subscription retention',
  'user create',
  'key create',
  'key list',
  'key revoke',
  'scorecard list',
  'scorecard show',
  'scorecard draft',
  'scorecard deploy',
  'scorecard challenge',
  'scorecard promote',
  'scorecard rollback',
  'scorecard retire',
  'scorecard dry-run',
  'scorecard monitor',
  'fragment deploy',
  'dataset show',
  'dataset list',
  'dataset reprocess',
  'dataset rescore',
  'dataset delete',
  'token-key create',
  'token-key rotate',
]

describe('every command', () => {
  test('explains itself with --help, without a database', { timeout: 60_000 }, async () => {
    const groups = new Set(COMMANDS.map((command) => command.split(' ')[0] ?? ''))
    await Promise.all(
      ['', ...groups, ...COMMANDS].map(async (command) => {
        const words = command.split(' ').filter(Boolean)
        const { code, stdout, stderr } = await run([...words, '--help'], { env: withoutDatabase() })
        expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
        expect(stdout).toContain(`Usage: ${['scripts/admin', ...words].join(' ')}`)
      }),
    )
  })

  test('fails in words when it is not known, or called wrongly', async () => {
    await expectRefused(
      [[], 'Usage: scripts/admin'],
      [['key'], 'Usage: scripts/admin key'],
      [['nope'], "error: unknown command 'nope'"],
      [['key', 'list', '--nope', 'x'], "error: unknown option '--nope'"],
      [['key', 'list'], "error: missing required argument 'subscription'"],
      [['key', 'list', 'a', 'b'], 'error: too many arguments'],
    )
  })

  test('fails in one sentence without a usable database', async () => {
    const list = ['key', 'list', 'Lender']
    const empty = await openEmptyDatabase()
    const away = paasEnv({ databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/none' })
    await expectRefused(
      [list, /^The environment is not usable:\n {2}DATABASE_URL: is required\n$/, { env: withoutDatabase() }],
      [list, /^connect ECONNREFUSED 127.0.0.1:1\n$/, { env: away }],
      [
        list,
        /^The database is not migrated: run the release process, node db\/migrate.ts\n$/,
        { env: paasEnv({ databaseUrl: empty.url }) },
      ],
    )
    await empty.drop()
  })
})

test('token-key create makes a value for TOKEN_SIGNING_KEYS, another each time, without a database', async () => {
  const create = () => admin(['token-key', 'create'], { env: withoutDatabase() })
  const made = await Promise.all([create(), create()])
  for (const { keys } of made) expect(keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519' }])
  expect(made[0].keys[0].kid).not.toBe(made[1].keys[0].kid)
})

test('token-key rotate refuses where it would rotate nothing', async () => {
  const database = await openTestDatabase()
  await expectRefused(
    [['token-key', 'rotate'], 'The database keeps no key', { env: paasEnv({ databaseUrl: database.url }) }],
    [
      ['token-key', 'rotate'],
      'TOKEN_SIGNING_KEYS: must be a JSON Web Key Set',
      { env: { ...house.env, TOKEN_SIGNING_KEYS: '{}' } },
    ],
  )
  await database.drop()
})
