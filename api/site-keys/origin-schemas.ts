import { z } from 'zod'

const LOCAL_HOSTS = ['localhost', '127.0.0.1']

/** Longest origin: a host of 253 characters with scheme and port. */
const MAX_CHARACTERS = 270

/** Returns the error of an origin, as a predicate; undefined if it is exactly what browsers send as `Origin`. */
function findFault(origin: string): string | undefined {
  if (origin.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`
  if (origin.includes('*')) return 'must not have a wildcard; list each origin'
  if (!URL.canParse(origin)) return 'must be an origin such as https://shop.example'
  const url = new URL(origin)
  const isLocal = url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname)
  if (url.protocol !== 'https:' && !isLocal)
    return 'must begin with https://; http:// is only for localhost and 127.0.0.1'
  if (url.origin !== origin)
    return `must be ${url.origin}, as browsers send it: without path, default port or capital letters`
  return undefined
}

/**
 * Origin of a page: `https://host` with its port unless it is 443.
 *
 * @see the HTML standard, "serialization of an origin"
 */
export const Origin = z.string().superRefine((origin, context) => {
  const message = findFault(origin)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
