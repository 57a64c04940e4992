import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { type OwnPortal, openPortal, type Portal } from './open-portal.ts'

/** Timeout of a test or a hook: two cores may run several browsers. A wait for a missing element fails after 30 s. */
const PORTAL_MS = 120_000

/**
 * Opens a portal that only the test file uses, before its first test, and closes it after the last one. Pages are closed
 * after the test that opened them, which fails if one of them throws an error.
 *
 * @returns an object that has its members once hooks run.
 */
export function withOwnPortal(env: Record<string, string> = {}): OwnPortal {
  const portal = withPages<OwnPortal>()
  beforeAll(async () => {
    Object.assign(portal, await openPortal(env))
  })
  afterAll(() => portal[Symbol.asyncDispose]?.())
  return portal
}

let shared: Promise<OwnPortal> | undefined

/**
 * Opens the portal that the test files of a Vitest worker share sequentially; its processes end with the worker. Each file
 * has its own tenant and admin.
 *
 * @returns an object that has its members once hooks run.
 */
export function withPortal(): Portal {
  const portal = withPages<Portal>()
  beforeAll(async () => {
    shared ??= openPortal()
    const { stack, ...rest } = await shared
    const tenant = await stack.openTenant()
    const { db, owner, openTenant, untilProcessed } = stack
    const adminEmail = await rest.addAdmin(tenant)
    Object.assign(portal, { ...rest, adminEmail, stack: { db, owner, tenant, openTenant, untilProcessed } })
  })
  afterEach(() => portal.worker?.send('SIGCONT')) // of a test that failed while it was suspended
  return portal
}

function withPages<P extends Portal>(): P {
  vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: PORTAL_MS })
  const portal = {} as P
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${await portal.describePages()}\n`)
    await portal.closePages()
  })
  return portal
}
