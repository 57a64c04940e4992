import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/** Argon2id, the package's default. @see OWASP Password Storage Cheat Sheet: 19 MiB of memory, 2 iterations, 1 lane */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashes computed at once, about 20 ms each. One, because hashing occupies a core: four at once took 47 ms each and
 * left no core for other work.
 */
const MAX_CONCURRENT = 1

/** Returns the hash to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Whether a stored hash took less work than a new one, by memory times passes, or has another algorithm. */
export function isWeakHash(passwordHash: string): boolean {
  const [, memoryCost, timeCost] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(passwordHash) ?? []
  return !(Number(memoryCost) * Number(timeCost) >= PARAMETERS.memoryCost * PARAMETERS.timeCost)
}

/** Checks and hashes passwords, one at a time; the caller limits how many wait. */
export interface Passwords {
  /** Whether the password matches the hash; takes the same time without a hash. */
  check(passwordHash: string | undefined, password: string): Promise<boolean>
  /** Returns the hash to store for a password. */
  hash(password: string): Promise<string>
}

export function openPasswords(): Passwords {
  const limit = pLimit(MAX_CONCURRENT)
  const dummyHash = hashPassword(crypto.randomUUID())
  return {
    async check(passwordHash, password) {
      const matches = await limit(async () => verify(passwordHash ?? (await dummyHash), password))
      return matches && passwordHash !== undefined
    },
    hash: (password) => limit(() => hashPassword(password)),
  }
}
