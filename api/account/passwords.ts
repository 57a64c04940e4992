import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { Problem } from '../http/problem.ts'

/** Argon2id, the package's default. @see OWASP Password Storage Cheat Sheet: 19 MiB of memory, 2 iterations, 1 lane */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes computed at once: four at once take all cores from everything else (47 ms against 18 ms for one). */
const AT_ONCE = 2

/** Log-ins that may wait for their turn, each about 20 ms. */
const MAX_WAITING = 100

/** The hash to store of a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Checks passwords, a few at once. */
export interface Passwords {
  /**
   * Whether the password is the one of the hash; takes the same time without a hash.
   *
   * @throws Problem `overloaded` when too many wait for their turn.
   */
  check(passwordHash: string | undefined, password: string): Promise<boolean>
}

export function openPasswords(): Passwords {
  const limit = pLimit(AT_ONCE)
  const nobody = hashPassword(crypto.randomUUID())
  return {
    async check(passwordHash, password) {
      if (limit.pendingCount >= MAX_WAITING) throw new Problem('overloaded', { retryAfterSeconds: 2 })
      const matches = await limit(async () => verify(passwordHash ?? (await nobody), password))
      return matches && passwordHash !== undefined
    },
  }
}
