import type { LimitName } from './limit-names.ts'

/** A limit with what is left of it. */
export interface LimitState {
  readonly name: LimitName
  readonly quota: number
  /** Seconds of the window; undefined without one. */
  readonly windowSeconds: number | undefined
  readonly remaining: number
  /** Seconds until the quota is restored; undefined if time does not. */
  readonly resetSeconds: number | undefined
}

/** Largest integer of a structured field. */
const MAX_INTEGER = 999_999_999_999_999

const integer = (value: number) => Math.max(0, Math.min(MAX_INTEGER, Math.ceil(value)))

/**
 * Returns the fields `RateLimit-Policy` and `RateLimit`: structured fields, one item for each limit.
 *
 * @see draft-ietf-httpapi-ratelimit-headers, sections 3 and 4; RFC 9651
 */
export const limitFields = (states: readonly LimitState[]): { policy: string; limit: string } => ({
  policy: states
    .map(({ name, quota, windowSeconds }) => {
      const window = windowSeconds === undefined ? '' : `;w=${integer(windowSeconds)}`
      return `"${name}";q=${integer(quota)}${unitOf(name)}${window}`
    })
    .join(', '),
  limit: states
    .map(({ name, remaining, resetSeconds }) => {
      const reset = resetSeconds === undefined ? '' : `;t=${integer(resetSeconds)}`
      return `"${name}";r=${integer(Math.floor(remaining))}${reset}`
    })
    .join(', '),
})

/** The unit of a quota; requests are the default. */
const unitOf = (name: LimitName) =>
  name.endsWith('-bytes') ? ';qu="content-bytes"' : name.endsWith('-datasets') ? ';qu="datasets"' : ''
