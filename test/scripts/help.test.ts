import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { PROJECT } from '../start-process.ts'
import { readToEnd } from './read-to-end.ts'

vi.setConfig({ testTimeout: 60_000 })

const SCRIPTS = readdirSync(join(PROJECT, 'scripts')).filter(
  (name) => !name.includes('.') && statSync(join(PROJECT, 'scripts', name)).isFile(),
)

/** Of which the arguments are for another program. */
const PASSED_ON = ['node', 'test']

async function run(name: string, ...args: readonly string[]) {
  const child = spawn(join(PROJECT, 'scripts', name), args, { cwd: PROJECT })
  return readToEnd(child)
}

test.each(SCRIPTS.filter((name) => name !== 'node'))(
  'scripts/%s explains itself, with examples whose options there are',
  async (name) => {
    const { code, stdout, stderr } = await run(name, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: scripts/${name}`)
    const [described = '', examples = ''] = stdout.split(/^Examples:\n/m)
    expect(examples).toContain(`scripts/${name}`)
    if (PASSED_ON.includes(name) || name === 'admin') return // of its commands, which have helps of their own
    const own = examples.split('\n').filter((line) => line.includes(`scripts/${name}`))
    const options = own.flatMap((line) => line.match(/(?<= )--[a-z]+/g) ?? [])
    expect(options.filter((option) => !described.includes(`  ${option}`))).toEqual([])
  },
)

test.each(SCRIPTS.filter((name) => !PASSED_ON.includes(name)))(
  'scripts/%s refuses an option that it does not know, and does nothing',
  async (name) => {
    const { code, stdout, stderr } = await run(name, '--no-such-option')
    expect(code).toBe(1)
    expect(stdout + stderr).toMatch(/unknown option '--no-such-option'|^Usage: /)
  },
)

test.each(['admin', 'verify-scorecards'])(
  'scripts/%s ends in silence when its reader has seen enough',
  async (name) => {
    const child = spawn(join(PROJECT, 'scripts', name), ['--help'], { cwd: PROJECT })
    child.stdout.destroy()
    child.stdin.end()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)
