import { vi } from 'vitest'

/** As long as `expect.poll` waits. Vitest's second is short beside other test files, and no requirement. */
const TIMEOUT_MS = 10_000

/** Repeats a check until it throws no error. @throws its last error, after 10 s. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: TIMEOUT_MS })
