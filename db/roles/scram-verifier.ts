import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** As Postgres computes it. */
const ITERATIONS = 4_096

/**
 * Returns what Postgres stores for a password, so that a statement with it can be logged without revealing the password.
 *
 * @see PostgreSQL manual, pg_authid; RFC 5803
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
