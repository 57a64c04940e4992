import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { type OwnPortal, openPortal, type Portal } from './open-portal.ts'

/** Of a test or a hook: two cores may have several browsers to run. A page that lacks something fails after 30 s. */
const PORTAL_MS = 120_000

/**
 * A portal that only the test file uses: opened before its first test, closed after its last one. Pages live as long as the
 * test that opened them, which fails when something in one of them throws.
 *
 * @returns what has its members once hooks run.
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
 * The portal that the test files of a Vitest worker share, one after the other; its processes end with the worker. Each file
 * has a tenant and an admin of its own.
 *
 * @returns what has its members once hooks run.
 */
export function withPortal(): Portal {
  const portal = withPages<Portal>()
  beforeAll(async () => {
    shared ??= openPortal()
    const { stack, ...rest } = await shared
    const tenant = await stack.openTenant()
    const { db, openTenant, untilProcessed } = stack
    const adminEmail = await rest.addAdmin(tenant)
    Object.assign(portal, { ...rest, adminEmail, stack: { db, tenant, openTenant, untilProcessed } })
  })
  return portal
}

function withPages<P extends Portal>(): P {
  vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: PORTAL_MS })
  const portal = {} as P
  afterEach(() => portal.closePages())
  return portal
}
