import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { LOCAL_IPV4, openNetworks, plainAddress } from '../../db/runtime/networks.ts'
import { DEFAULT_ADDRESS_HEADER, openAddressHeader } from './address-header.ts'

/** Finds the client address of a request; trusted proxies may forward it. */
export type FindAddresses = (request: IncomingMessage) => {
  /** Address of the end user or client: the one that a trusted proxy forwards, otherwise the peer's address. */
  readonly address: string | undefined
  /** The address that a trusted proxy forwards, otherwise undefined. */
  readonly forwardedAddress: string | undefined
}

/**
 * @param trusted addresses and networks in CIDR notation of the proxies that may forward an address.
 * @param header name of the header in which they send it, in lower case.
 */
export function openAddresses(
  trusted: readonly string[],
  header: string = DEFAULT_ADDRESS_HEADER,
): FindAddresses {
  const isTrusted = openNetworks(trusted)
  const readForwarded = openAddressHeader(header, isTrusted)

  return (request) => {
    const peer = peerOf(request)
    const forwardedAddress = isTrusted(peer) ? readForwarded(request) : undefined
    return { address: forwardedAddress ?? peer, forwardedAddress }
  }
}

/** A peer in one of these networks is a router of the operator, not a client. */
const isLocal = openNetworks([...LOCAL_IPV4, '::/127', 'fc00::/7', 'fe80::/10'])

/** Returns the address of a page's visitor to store: as a trusted proxy forwards it, otherwise the peer's unless it is local. */
export function visitorAddress({ address, forwardedAddress }: ReturnType<FindAddresses>): string | null {
  if (forwardedAddress !== undefined) return forwardedAddress
  if (address === undefined || isIP(address) === 0) return null
  return isLocal(address) ? null : address
}

/** Returns the network that one client is assigned: an IPv4 address itself, the /64 of an IPv6 address. `unknown` without an address. */
export function networkOf(address = 'unknown'): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [left = '', right = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [left.split(':').filter(Boolean), right.split(':').filter(Boolean)]
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Returns the peer's address; removes the IPv6 prefix that a dual-stack socket adds to IPv4. */
const peerOf = (request: IncomingMessage) => request.socket.remoteAddress?.replace(/^::ffff:/, '')
