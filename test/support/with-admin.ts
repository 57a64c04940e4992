import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { readToEnd } from './read-to-end.ts'
import { type CommandInput, runAdminHere } from './run-admin.ts'
import { killProcesses, PROJECT, type WebProcess } from './start-process.ts'
import { startTestStack, type TestStack } from './test-stack.ts'

/** A command that fails, and all or part of its error message. */
export type Refused = [args: readonly string[], says: string | RegExp, input?: CommandInput]

/**
 * Runs operator commands on a stack of the test file, which is available once hooks run.
 *
 * @param options.service whether the stack also runs a web and a worker process.
 */
export function withAdmin({ service = true }: { service?: boolean } = {}) {
  const stack = {} as TestStack
  const web = {} as WebProcess

  beforeAll(async () => {
    Object.assign(stack, await startTestStack())
    if (!service) return
    const [started] = await Promise.all([stack.startWeb(), stack.startWorker()])
    Object.assign(web, started)
  })
  afterAll(async () => {
    await killProcesses()
    await stack[Symbol.asyncDispose]?.()
  })

  const withoutDatabase = () => ({ PATH: stack.env.PATH ?? '' })

  /** Starts scripts/admin as a process, for tests of the process itself. */
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = stack.env) =>
    spawn(join(PROJECT, 'scripts/admin'), args, {
      cwd: PROJECT,
      env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    })

  const runProcess = (args: readonly string[], { stdin, env }: CommandInput = {}) =>
    readToEnd(start(args, env), stdin)

  /** Runs a command in this process. */
  const run = (args: readonly string[], { stdin = '', env = stack.env }: CommandInput = {}) =>
    runAdminHere(args, { stdin, env })

  /** Runs a command that succeeds. @returns the one object that it prints. */
  // tests look into it freely
  // biome-ignore lint/suspicious/noExplicitAny: see above
  async function admin(args: readonly string[], input?: CommandInput): Promise<any> {
    const { code, stdout, stderr } = await run(args, input)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return JSON.parse(stdout)
  }

  /** Expects each command to fail and to print only to stderr. They run concurrently. */
  async function expectFailed(exitCode: number, commands: readonly Refused[]): Promise<void> {
    await Promise.all(
      commands.map(async ([args, says, input]) => {
        const { code, stdout, stderr } = await run(args, input)
        expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: '' })
        expect(stderr).toMatch(says)
        expect(stderr).not.toMatch(/^\s+at /m)
      }),
    )
  }

  const expectRefused = (...commands: Refused[]) => expectFailed(1, commands)
  const expectWrongUsage = (...commands: Refused[]) => expectFailed(2, commands)

  /** Lists the changes in the audit log of a subscription, oldest first: without sign-ins, views and searches. */
  async function listAudit(subscriptionId: number) {
    return stack
      .db('audit_events')
      .where({ subscription_id: subscriptionId })
      .whereNotIn('action', ['session.login', 'dataset.view', 'dataset.search'])
      .orderBy('id')
      .select('actor', 'action', 'subject', 'detail')
  }

  return {
    stack,
    web,
    withoutDatabase,
    start,
    runProcess,
    run,
    admin,
    expectRefused,
    expectWrongUsage,
    listAudit,
  }
}
