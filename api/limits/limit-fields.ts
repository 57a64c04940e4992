import type { LimitName } from './limit-names.ts'

/** Largest integer of a structured field. */
const MAX_INTEGER = 999_999_999_999_999

const integer = (value: number) => Math.max(0, Math.min(MAX_INTEGER, value))

/**
 * Returns the item of a limit in `RateLimit-Policy`, a structured field: `"key-requests";q=1000;w=10`.
 *
 * @param windowSeconds undefined for a quota that time does not restore.
 * @see draft-ietf-httpapi-ratelimit-headers, section 3; RFC 9651
 */
export function policyItem(name: LimitName, quota: number, windowSeconds: number | undefined): string {
  const window = windowSeconds === undefined ? '' : `;w=${integer(Math.ceil(windowSeconds))}`
  return `"${name}";q=${integer(quota)}${unitOf(name)}${window}`
}

/**
 * Returns the item of a limit in `RateLimit`, a structured field: `"key-requests";r=998;t=9`.
 *
 * @param resetMs milliseconds until the quota is restored; undefined if time does not restore it.
 * @see draft-ietf-httpapi-ratelimit-headers, section 4
 */
export function limitItem(name: LimitName, remaining: number, resetMs: number | undefined): string {
  const reset = resetMs === undefined ? '' : `;t=${integer(Math.ceil(resetMs / 1_000))}`
  return `"${name}";r=${integer(Math.floor(remaining))}${reset}`
}

/** The unit of a quota; requests are the default. */
const unitOf = (name: LimitName) =>
  name.endsWith('-bytes') ? ';qu="content-bytes"' : name.endsWith('-datasets') ? ';qu="datasets"' : ''
