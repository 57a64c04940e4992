import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { plainAddress } from '../../db/runtime/networks.ts'
import { countFields } from './count-fields.ts'

/** The header of nginx, Caddy and Traefik as documented here. */
export const DEFAULT_ADDRESS_HEADER = 'x-real-ip'

/** The one header that has a list: each proxy appends the address of its own peer. */
const FORWARDED_FOR = 'x-forwarded-for'

/** Longer lists are ignored. */
const MAX_HOPS = 20

/** Returns the client's address that a request's header has; undefined if it has none that is certain. */
type ReadAddressHeader = (request: IncomingMessage) => string | undefined

/**
 * Opens reading the header of a request whose peer is a trusted proxy.
 *
 * `x-forwarded-for` is read from the right, where proxies append: its first address that is not a trusted proxy is the client's; the client
 * itself sent those further left. Any other header has one address.
 */
export function openAddressHeader(
  name: string,
  isTrusted: (address: string | undefined) => boolean,
): ReadAddressHeader {
  if (name === FORWARDED_FOR)
    return ({ headers, rawHeaders }) => {
      const list = headers[FORWARDED_FOR]
      // proxies differ in which of several headers they append to, so a client could have sent the one that is read
      if (typeof list !== 'string' || countFields(rawHeaders, FORWARDED_FOR) > 1) return undefined
      return findClient(list, isTrusted)
    }
  return ({ headers }) => {
    const value = headers[name]
    return typeof value === 'string' ? parseAddress(value) : undefined
  }
}

function findClient(list: string, isTrusted: (address: string) => boolean): string | undefined {
  let end = list.length
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const comma = list.lastIndexOf(',', end - 1)
    const address = parseAddress(list.slice(comma + 1, end).trim())
    if (address === undefined || !isTrusted(address)) return address
    if (comma < 0) return address // a request of a proxy itself
    end = comma
  }
  return undefined
}

/** An address of IPv6 in brackets, or one of IPv4, with or without a port. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/

/** Some proxies add the port of the client. */
function parseAddress(text: string): string | undefined {
  const [, inBrackets, ipv4] = WITH_PORT.exec(text) ?? []
  const address = inBrackets ?? ipv4 ?? text
  return isIP(address) === 0 ? undefined : plainAddress(address)
}
