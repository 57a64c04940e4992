import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Lock timeout, and deadlock: running processes may lock tables in another order. */
const LOCK_ERRORS = ['55P03', '40P01']

/** Pause before the second attempt; it doubles up to the maximum. */
const PAUSE_MS = { first: 500, max: 8_000 }

/**
 * Runs a step, and repeats it while it fails for a lock that others hold. Between attempts it pauses, at random between half and all of a time that doubles from 0.5 s to
 * 8 s, so that what waited behind it goes on, and two releases do not collide again.
 *
 * @param step leaves nothing behind when it fails, or is safe to repeat.
 * @throws the error of the last attempt, once `giveUpMs` have passed since the first.
 */
export async function retryLocks<T>(step: () => Promise<T>, giveUpMs: number): Promise<T> {
  const startedAt = performance.now()
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.max))
    try {
      return await step()
    } catch (error) {
      if (!isLockError(error) || performance.now() - startedAt > giveUpMs) throw error
      await delay(Math.min(pauseMs, giveUpMs) * (0.5 + Math.random() / 2))
    }
}

/** Whether a statement failed because others hold a lock that it needs. */
export const isLockError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code !== undefined && LOCK_ERRORS.includes(error.code)
