import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { readToEnd } from './read-to-end.ts'
import { killProcesses, PROJECT, type WebProcess } from './start-process.ts'
import { startTestStack, type TestStack } from './test-stack.ts'

interface Options {
  readonly stdin?: string
  readonly env?: Record<string, string>
}

/** A command that fails, and all or part of its error message. */
export type Refused = [args: readonly string[], says: string | RegExp, options?: Options]

/**
 * Runs operator commands on a stack of the test file, which is available once hooks run.
 *
 * @param options.service whether the stack also runs a web and a worker process.
 */
export function withAdmin({ service = true }: { service?: boolean } = {}) {
  const stack = {} as TestStack
  const web = {} as WebProcess
  let compileCache: string

  beforeAll(async () => {
    compileCache = await mkdtemp(join(tmpdir(), 'inkling-compiled-'))
    Object.assign(stack, await startTestStack())
    const started = service ? [stack.startWeb(), stack.startWorker()] : []
    const [startedWeb] = await Promise.all([...started, run(['--version'])])
    if (service) Object.assign(web, startedWeb)
  })
  afterAll(async () => {
    await killProcesses()
    await stack[Symbol.asyncDispose]?.()
    await rm(compileCache, { recursive: true, force: true })
  })

  const withoutDatabase = () => ({ PATH: stack.env.PATH ?? '' })

  const start = (args: readonly string[], env: Record<string, string> = stack.env) =>
    spawn(join(PROJECT, 'scripts/admin'), args, {
      cwd: PROJECT,
      env: { ...env, NODE_COMPILE_CACHE: compileCache }, // the command starts about a hundred times here
    })

  function run(args: readonly string[], { stdin, env }: Options = {}) {
    return readToEnd(start(args, env), stdin)
  }

  /** Runs a command that succeeds. @returns the one object that it prints. */
  // tests look into it freely
  // biome-ignore lint/suspicious/noExplicitAny: see above
  async function admin(args: readonly string[], options?: Options): Promise<any> {
    const { code, stdout, stderr } = await run(args, options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return JSON.parse(stdout)
  }

  /** Expects each command to fail and to print only to stderr. They run concurrently, as each starts slowly. */
  async function expectFailed(exitCode: number, commands: readonly Refused[]): Promise<void> {
    await Promise.all(
      commands.map(async ([args, says, options]) => {
        const { code, stdout, stderr } = await run(args, options)
        expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: '' })
        expect(stderr).toMatch(says)
        expect(stderr).not.toMatch(/^\s+at /m)
      }),
    )
  }

  const expectRefused = (...commands: Refused[]) => expectFailed(1, commands)
  const expectWrongUsage = (...commands: Refused[]) => expectFailed(2, commands)

  /** Lists the audit events of a subscription, oldest first. */
  async function listAudit(subscriptionId: number) {
    return stack
      .db('audit_events')
      .where({ subscription_id: subscriptionId })
      .orderBy('id')
      .select('actor', 'action', 'subject', 'detail')
  }

  return { stack, web, withoutDatabase, start, run, admin, expectRefused, expectWrongUsage, listAudit }
}
