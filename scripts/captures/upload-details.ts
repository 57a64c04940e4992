import { hash } from 'node:crypto'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

/**
 * Generates a reference number such as LN-2026-000123-7F3A91C2: year, index in the run, and a hash of seed and index.
 */
export function nameReference(seed: number | string, index: number, collectedAt: string): string {
  const check = hash('sha256', `${seed}/reference/${index}`).slice(0, 8).toUpperCase()
  return `LN-${collectedAt.slice(0, 4)}-${String(index + 1).padStart(6, '0')}-${check}`
}

/**
 * Generates an unassigned address: from the IPv4 ranges for benchmarks and documentation, the shared range of carriers, or
 * the IPv6 range for documentation. Addresses at home stay the same; those of mobile networks change.
 *
 * @see RFC 2544 (198.18.0.0/15), RFC 5737, RFC 6598 (100.64.0.0/10), RFC 3849 (2001:db8::/32)
 */
export function drawAddress(random: Random): string {
  const byte = () => random.int(0, 255)
  const u = random.float()
  if (u < 0.6) return `198.${random.int(18, 19)}.${byte()}.${random.int(1, 254)}`
  if (u < 0.68) return `203.0.113.${random.int(1, 254)}`
  if (u < 0.76) return `100.${random.int(64, 127)}.${byte()}.${random.int(1, 254)}`
  const group = () => random.int(0, 0xffff).toString(16)
  return `2001:db8:${group()}:${group()}:${group()}:${group()}:${group()}:${group()}`
}

/**
 * Generates Additional Info as strings: always the client's number, for some also hashes of their contacts.
 */
export function describeClient(person: Person): Record<string, string> {
  if (!person.hashesKnown) return { clientId: person.clientId }
  return {
    clientId: person.clientId,
    emailSha256: hash('sha256', `${person.clientId.slice(0, 8)}@mail.example`),
    phoneSha256: hash('sha256', `+999${Number.parseInt(person.clientId.slice(24), 16) % 1e9}`),
  }
}
