import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT, paasEnv } from '../support/start-process.ts'
import { openEmptyDatabase, openTestDatabase } from '../support/stores.ts'
import { withAdmin } from '../support/with-admin.ts'

const { stack, withoutDatabase, run, runProcess, admin, expectRefused, expectWrongUsage } = withAdmin({
  service: false,
})

const COMMANDS = [
  'subscription create',
  'subscription list',
  'subscription suspend',
  'subscription resume',
  'subscription retention',
  'subscription delete',
  'person export',
  'person erase',
  'person status',
  'user create',
  'user list',
  'user disable',
  'user enable',
  'user reset',
  'user delete',
  'key create',
  'key list',
  'key revoke',
  'site-key create',
  'site-key list',
  'site-key rotate',
  'site-key revoke',
  'webhook create',
  'webhook list',
  'webhook enable',
  'webhook disable',
  'webhook delete',
  'webhook rotate',
  'webhook test',
  'webhook replay',
  'webhook log',
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
  'fragment list',
  'fragment remove',
  'fragment deploy',
  'dataset show',
  'dataset list',
  'dataset reprocess',
  'dataset rescore',
  'dataset delete',
  'token-key create',
  'token-key rotate',
  'capture-store take-over',
  'completion',
]

describe('every command', () => {
  test('prints its help without a database', { timeout: 60_000 }, async () => {
    const groups = new Set(COMMANDS.map((command) => command.split(' ')[0] ?? ''))
    await Promise.all(
      ['', ...groups, ...COMMANDS].map(async (command) => {
        const words = command.split(' ').filter(Boolean)
        const { code, stdout, stderr } = await runProcess([...words, '--help'], { env: withoutDatabase() })
        expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
        expect(stdout).toContain(`Usage: ${['scripts/admin', ...words].join(' ')}`)
      }),
    )
  })

  test('ends its process with 0, 1 for an error or 2 for invalid usage, and prints to stdout only a result', async () => {
    const list = ['subscription', 'list']
    const [result, failure, misuse] = await Promise.all([
      runProcess(list, { env: stack.env }),
      runProcess(list, { env: withoutDatabase() }),
      runProcess([...list, '--nope'], { env: withoutDatabase() }),
    ])
    expect(result).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\{"subscriptions":.*\}\n$/),
      stderr: '',
    })
    const says = 'The environment is not usable:\n  DATABASE_URL: is required\n'
    expect(failure).toEqual({ code: 1, stdout: '', stderr: says })
    expect(misuse).toEqual({ code: 2, stdout: '', stderr: "error: unknown option '--nope'\n" })
  })

  test('rejects unknown commands and invalid usage with a message', async () => {
    await expectWrongUsage(
      [[], 'Usage: scripts/admin'],
      [['key'], 'Usage: scripts/admin key'],
      [['nope'], "error: unknown command 'nope'"],
      [['key', 'list', '--nope', 'x'], "error: unknown option '--nope'"],
      [['key', 'list'], "error: missing required argument 'subscription'"],
      [['key', 'list', 'a', 'b'], 'error: too many arguments'],
    )
  })

  test('reports an unusable database in one sentence', async () => {
    const list = ['key', 'list', 'Lender']
    const empty = await openEmptyDatabase()
    const unreachable = paasEnv({ databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/none' })
    await expectRefused(
      [list, /^The environment is not usable:\n {2}DATABASE_URL: is required\n$/, { env: withoutDatabase() }],
      [
        list,
        /^Postgres at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. Check that it runs and that DATABASE_URL is right\n$/,
        { env: unreachable },
      ],
      [
        list,
        /^The database is not migrated: run the release process, scripts\/node db\/migrate.ts\n$/,
        { env: paasEnv({ databaseUrl: empty.url }) },
      ],
    )
    await empty.drop()
  })

  test('reports which part of DATABASE_URL Postgres rejects', async () => {
    const list = ['key', 'list', 'Lender']
    const urlWith = (change: Partial<Pick<URL, 'pathname' | 'password'>>) =>
      paasEnv({ databaseUrl: Object.assign(new URL(stack.databaseUrl), change).href })
    await expectRefused(
      [
        list,
        /^Postgres: database "nowhere" does not exist\. Create it with createdb, or correct DATABASE_URL\n$/,
        { env: urlWith({ pathname: '/nowhere' }) },
      ],
      [
        list,
        /^Postgres: password authentication failed for user "inkling_runtime"\. Correct the user or the password in DATABASE_URL\n$/,
        { env: urlWith({ password: 'wrong' }) },
      ],
      [list, /^Postgres requires a password\. Set it in DATABASE_URL/, { env: urlWith({ password: '' }) }],
    )
  })
})

test('--version prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  expect(await runProcess(['--version'], { env: withoutDatabase() })).toEqual({
    ...{ code: 0, stdout: `${version}\n`, stderr: '' },
  })
})

describe('completion', () => {
  /** Completions of the last word, from the function that bash has registered for the command. */
  const COMPLETE = `
source <(printf '%s\\n' "$SCRIPT")
complete -p >&2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_inkling_admin || true # fails where nothing matches
printf '%s\\n' "\${COMPREPLY[@]}"`

  const print = async (...args: readonly string[]) =>
    (await run(['completion', ...args], { env: withoutDatabase() })).stdout

  async function complete(SCRIPT: string, name: string, words: readonly string[]) {
    const child = spawn('bash', ['--norc', '-euc', COMPLETE, 'bash', ...words], {
      env: { ...withoutDatabase(), SCRIPT },
    })
    const { code, stdout, stderr } = await readToEnd(child)
    expect({ code, stderr }).toEqual({ code: 0, stderr: `complete -o default -F _inkling_admin ${name}\n` })
    return stdout.trim().split('\n').filter(Boolean)
  }

  test('completes commands, options and their values in bash, and file names otherwise', async () => {
    const cases: [words: string[], found: string[]][] = [
      [['admin', 'us'], ['user']],
      [
        ['scripts/admin', 'fragment', ''],
        ['list', 'remove', 'deploy'],
      ],
      [['admin', 'key', 'create', 'Acme Lending', '--r'], ['--role']],
      [
        ['admin', 'key', 'create', 'Acme Lending', '--role', ''],
        ['uploader', 'requester'],
      ],
      [['admin', 'key', 'create', 'Acme Lending', '--label', ''], []],
      [['admin', 'scorecard', 'import', ''], []],
      [
        ['admin', 'completion', ''],
        ['bash', 'zsh'],
      ],
      [
        ['admin', '-'],
        ['--version', '--help'],
      ],
      [['admin', 'nothing', 'of', 'ours', 'x'], []],
    ]
    const [script, named] = await Promise.all([print('bash'), print('bash', 'inkling-admin')])
    for (const [words, found] of cases)
      expect(await complete(script, 'admin', words), words.join(' ')).toEqual(found)
    expect(await complete(named, 'inkling-admin', ['inkling-admin', 'token-key', 'ro'])).toEqual(['rotate'])
  })

  test('includes every command and option', async () => {
    const script = await print('bash')
    const helps = readFileSync(join(PROJECT, 'scripts/help/admin.txt'), 'utf8').split(/^(?=Usage: )/m)
    expect(helps.length).toBeGreaterThan(COMMANDS.length)
    for (const help of helps) {
      const command = /^Usage: scripts\/admin(.*?) \[options\]/.exec(help)?.[1]?.trim()
      const [, options] =
        script
          .split('\n    ')
          .find((line) => line.startsWith(`'${command}') words=`))
          ?.split('options=') ?? []
      const shown = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option)
      expect(options?.match(/--[a-z-]+/g)?.toSorted(), command).toEqual(shown.toSorted())
    }
  })

  test('supports bash and zsh, and no other shell', async () => {
    expect(await print('zsh')).toMatch(/\ncompdef _inkling_admin 'admin'\n$/)
    await expectWrongUsage([['completion', 'fish'], 'Allowed choices are bash, zsh'])
  })
})

test('token-key create prints a new value for TOKEN_SIGNING_KEYS each time, without a database', async () => {
  const create = () => admin(['token-key', 'create'], { env: withoutDatabase() })
  const made = await Promise.all([create(), create()])
  for (const { keys } of made) expect(keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519' }])
  expect(made[0].keys[0].kid).not.toBe(made[1].keys[0].kid)
})

test('token-key rotate fails if there is no key to rotate', async () => {
  const database = await openTestDatabase()
  await expectRefused(
    [['token-key', 'rotate'], 'The database has no key', { env: paasEnv({ databaseUrl: database.url }) }],
    [
      ['token-key', 'rotate'],
      'TOKEN_SIGNING_KEYS: must be a JSON Web Key Set',
      { env: { ...stack.env, TOKEN_SIGNING_KEYS: '{}' } },
    ],
  )
  await database.drop()
})
