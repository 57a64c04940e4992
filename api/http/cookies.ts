import type { IncomingHttpHeaders } from 'node:http'

/** A cookie that is HttpOnly, Secure and, unless it says otherwise, SameSite=Strict. */
export interface Cookie {
  readonly name: string
  /** Letters, digits and `-_.~` only. */
  readonly value: string
  readonly path: string
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number
  /** Lax: also sent when another site leads the browser here. */
  readonly sameSite?: 'Strict' | 'Lax'
}

/** Returns the value of the first cookie with this name. @see RFC 6265, section 5.4: the first one has the longest path */
export function findCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of cookie.split(';')) {
    const [found = '', ...value] = pair.split('=')
    if (found.trim() === name) return value.join('=').trim()
  }
  return undefined
}

/** Returns the value of `Set-Cookie`. @see RFC 6265bis, section 4.1, also for the name prefixes `__Host-` and `__Secure-` */
export const writeCookie = ({ name, value, path, maxAgeSeconds, sameSite = 'Strict' }: Cookie): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=${sameSite}`
