import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { declareAdmin } from '../../scripts/admin-commands/program.ts'
import { processIo } from '../../scripts/cli/command-io.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT } from '../support/start-process.ts'

vi.setConfig({ testTimeout: 60_000 })

const SCRIPTS = readdirSync(join(PROJECT, 'scripts')).filter(
  (name) => !name.includes('.') && statSync(join(PROJECT, 'scripts', name)).isFile(),
)

/** Scripts that pass their arguments to another program. */
const PASSED_ON = ['node', 'test']

/** Scripts with help in scripts/help/. */
const COMMANDS = SCRIPTS.filter((name) => ![...PASSED_ON, 'setup'].includes(name))

async function run(file: string, args: readonly string[], options: { cwd?: string; PATH?: string } = {}) {
  const { cwd = PROJECT, PATH = process.env.PATH ?? '' } = options
  return readToEnd(spawn(file, args, { cwd, env: { ...process.env, PATH } }))
}

const runScript = (name: string, ...args: readonly string[]) => run(join(PROJECT, 'scripts', name), args)

/** The help from the declaration of a command, followed by that of its subcommands. */
function pagesOf(command: Command): string[] {
  let page = ''
  command.configureOutput({ writeOut: (part) => (page += part), getOutHelpWidth: () => 80 }).outputHelp()
  return [page, ...command.commands.flatMap(pagesOf)]
}

test.each(SCRIPTS.filter((name) => name !== 'node'))(
  'scripts/%s --help has examples with existing options',
  async (name) => {
    const { code, stdout, stderr } = await runScript(name, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: scripts/${name}`)
    const [described = '', examples = ''] = stdout.split(/^Examples:\n/m)
    expect(examples).toContain(`scripts/${name}`)
    if (PASSED_ON.includes(name) || name === 'admin') return // each admin command has its own help
    const own = examples.split('\n').filter((line) => line.includes(`scripts/${name}`))
    const options = own.flatMap((line) => line.match(/(?<= )--[a-z]+/g) ?? [])
    expect(options.filter((option) => !described.includes(`  ${option}`))).toEqual([])
  },
)

/** After a change of options, run `npx vitest run test/scripts/help.test.ts --update` to write the pages. */
describe('the pages of scripts/help match the declarations of the commands', () => {
  test.each(COMMANDS.filter((name) => name !== 'admin'))('for scripts/%s', async (name) => {
    const { stdout } = await runScript('node', 'scripts/run-command.ts', name, '--help')
    expect(stdout).toContain(`Usage: scripts/${name}`)
    await expect(stdout).toMatchFileSnapshot(join(PROJECT, `scripts/help/${name}.txt`))
  })

  test('for scripts/admin and each of its subcommands', async () => {
    const pages = pagesOf(await declareAdmin(processIo()))
    await expect(pages.join('')).toMatchFileSnapshot(join(PROJECT, 'scripts/help/admin.txt'))
    const commandOf = (page: string) => /^Usage: scripts\/admin(.*?) \[options\]/.exec(page)?.[1]?.trim()
    await Promise.all(
      pages.map(async (page) => {
        const words = commandOf(page)?.split(' ').filter(Boolean) ?? []
        expect(await runScript('admin', ...words, 'any', '--help'), page).toMatchObject({ stdout: page })
      }),
    )
  })
})

describe('in a fresh clone', () => {
  let clone: string

  beforeAll(async () => {
    clone = await mkdtemp(join(tmpdir(), 'inkling-clone-'))
    await cp(join(PROJECT, 'scripts'), join(clone, 'scripts'), { recursive: true })
    for (const name of ['package.json', 'package-lock.json']) await cp(join(PROJECT, name), join(clone, name))
  })
  afterAll(() => rm(clone, { recursive: true, force: true }))

  test.each(SCRIPTS.filter((name) => name !== 'node'))(
    'scripts/%s --help works without Node and installs nothing',
    async (name) => {
      const programs = join(clone, 'programs')
      await mkdir(programs, { recursive: true })
      for (const program of ['sh', 'bash', 'cat', 'env', 'awk', 'grep', 'dirname', 'readlink'])
        if (!existsSync(join(programs, program)))
          await symlink(await findProgram(program), join(programs, program))
      const helped = await run(join(clone, 'scripts', name), ['--help'], { PATH: programs })
      expect(helped).toEqual(await runScript(name, '--help'))
      expect(existsSync(join(clone, 'node_modules'))).toBe(false)
    },
  )

  test.each(['admin', 'check-capture', 'generate', 'verify-scorecards'])(
    'scripts/%s reports a missing package and how to install it',
    async (name) => {
      const { code, stdout, stderr } = await run(join(clone, 'scripts', name), ['x'])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^scripts\/\S+ needs the npm package \S+, which is not installed\. .*\n$/)
    },
  )
})

describe('through symbolic links', () => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inkling-links-'))
    await mkdir(join(directory, 'bin'))
    await symlink(PROJECT, join(directory, 'current'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.each(SCRIPTS)('scripts/%s works from any directory', async (name) => {
    await symlink(join('..', 'current', 'scripts', name), join(directory, 'bin', name))
    await symlink(join(directory, 'bin', name), join(directory, `inkling-${name}`))
    const args = name === 'node' ? ['--version'] : ['--help']
    const linked = await run(`./inkling-${name}`, args, { cwd: directory })
    expect(linked).toEqual(await runScript(name, ...args))
    expect(linked.code).toBe(0)
  })

  test('scripts/admin runs a command when found on the PATH', async () => {
    const PATH = `${join(directory, 'bin')}:${process.env.PATH}`
    const { code, stdout } = await run('admin', ['token-key', 'create'], { cwd: directory, PATH })
    expect([code, JSON.parse(stdout).keys.length]).toEqual([0, 1])
  })
})

test.each(SCRIPTS.filter((name) => !PASSED_ON.includes(name)))(
  'scripts/%s rejects an unknown option and does nothing',
  async (name) => {
    const { code, stdout, stderr } = await runScript(name, '--no-such-option')
    expect(code).toBe(['admin', 'check-capture', 'compare', 'doctor'].includes(name) ? 2 : 1)
    expect(stdout + stderr).toMatch(/unknown option '--no-such-option'|^Usage: /)
  },
)

test.each(['admin', 'check-capture', 'verify-scorecards'])(
  'scripts/%s exits silently when the reader closes the pipe',
  async (name) => {
    const args = ['scripts/run-command.ts', name, '--help']
    const child = spawn(join(PROJECT, 'scripts/node'), args, { cwd: PROJECT })
    child.stdout.destroy()
    child.stdin.end()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)

async function findProgram(name: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', `command -v ${name}`], { PATH: '/usr/bin:/bin' })
  return stdout.trim()
}
