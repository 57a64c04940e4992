import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { openPortal, type Portal } from './open-portal.ts'

/** Of a test or a hook: two cores may have several browsers to run. A page that lacks something fails after 30 s. */
const PORTAL_MS = 120_000

/**
 * The portal of a test file: opened before its first test, closed after its last one. Pages live as long as the test that
 * opened them, which fails when something in one of them throws.
 *
 * @returns what has its members once hooks run.
 */
export function withPortal(env: Record<string, string> = {}): Portal {
  vi.setConfig({ testTimeout: PORTAL_MS, hookTimeout: PORTAL_MS })
  const portal = {} as Portal
  beforeAll(async () => {
    Object.assign(portal, await openPortal(env))
  })
  afterEach(() => portal.closePages())
  afterAll(() => portal[Symbol.asyncDispose]?.())
  return portal
}
