import type { IncomingHttpHeaders } from 'node:http'

/** A cookie for browsers alone: no script reads it, no plain connection carries it, no other site's page sends it. */
export interface Cookie {
  readonly name: string
  /** Letters, digits and `-_.~` only. */
  readonly value: string
  readonly path: string
  /** 0 takes the cookie away. */
  readonly maxAgeSeconds: number
}

/** The value of the first cookie of this name. @see RFC 6265, section 5.4: the first one has the longest path */
export function findCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of cookie.split(';')) {
    const [found = '', ...value] = pair.split('=')
    if (found.trim() === name) return value.join('=').trim()
  }
  return undefined
}

/** The value of `Set-Cookie`. @see RFC 6265bis, section 4.1, also for the prefixes `__Host-` and `__Secure-` of names */
export const writeCookie = ({ name, value, path, maxAgeSeconds }: Cookie): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Strict`
