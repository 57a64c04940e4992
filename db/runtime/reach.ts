import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type MayConnect, openMayConnect } from './outside-addresses.ts'

/** Which servers may be called for an admin. */
export interface Reach {
  /** Checked for the address that the connection is made to, so that a name cannot lead elsewhere in between. */
  readonly mayConnect: MayConnect
  /** Whether loopback addresses may be called without TLS. */
  readonly allowsHttp: boolean
}

/** @param privateNetworks networks that are permitted besides the Internet; undefined: everything, for development. */
export const openReach = (privateNetworks: readonly string[] | undefined): Reach =>
  privateNetworks === undefined
    ? { mayConnect: () => true, allowsHttp: true }
    : { mayConnect: openMayConnect(privateNetworks), allowsHttp: false }

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether browsers and this service may be sent to an address that an admin set. */
export function isPermittedUrl(text: string, { allowsHttp }: Pick<Reach, 'allowsHttp'>): boolean {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (allowsHttp && url.protocol === 'http:' && LOOPBACK.test(url.hostname))
}

/** Whether the host of a URL is an address that may not be connected to; a name is checked when it is looked up. */
export function isForbiddenAddress(url: string, { mayConnect }: Pick<Reach, 'mayConnect'>): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !mayConnect(host)
}

/** Looks names up, and keeps the permitted addresses. @param forbidden creates the error of a name that has none. */
export const lookUp =
  (mayConnect: MayConnect, forbidden: (hostname: string) => Error): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first, ...others] = error ? [] : found.filter(({ address }) => mayConnect(address))
      if (error) callback(error, '')
      else if (!first) callback(forbidden(hostname), '')
      else if (options.all) callback(null, [first, ...others])
      else callback(null, first.address, first.family)
    })
  }
