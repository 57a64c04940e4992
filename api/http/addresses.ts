import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Finds the client address of a request; trusted proxies may forward it. */
export type FindAddresses = (request: IncomingMessage) => {
  /** Address of the end user or client: `X-Real-IP` from a trusted proxy, otherwise the peer's address. */
  readonly address: string | undefined
  /** `X-Real-IP` from a trusted proxy, otherwise undefined. */
  readonly forwardedAddress: string | undefined
}

/** @param trusted addresses and networks in CIDR notation of the proxies whose `X-Real-IP` is trusted. */
export function openAddresses(trusted: readonly string[]): FindAddresses {
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [network = '', prefix] = entry.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) proxies.addAddress(network, family)
    else proxies.addSubnet(network, Number(prefix), family)
  }
  const isTrusted = (peer: string | undefined) =>
    peer !== undefined && proxies.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4')

  return (request) => {
    const peer = peerOf(request)
    const header = request.headers['x-real-ip']
    const forwardedAddress =
      typeof header === 'string' && isTrusted(peer) && isIP(header) !== 0 ? header : undefined
    return { address: forwardedAddress ?? peer, forwardedAddress }
  }
}

/** Networks that are not of the Internet: a peer in one of them is a router of the operator, not a client. @see RFC 6890 */
const LOCAL = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  LOCAL.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  LOCAL.addSubnet(network, prefix, 'ipv6')

/** Returns the address of a page's visitor to store: as a trusted proxy forwards it, otherwise the peer's unless it is local. */
export function visitorAddress({ address, forwardedAddress }: ReturnType<FindAddresses>): string | null {
  if (forwardedAddress !== undefined) return forwardedAddress
  const family = isIP(address ?? '')
  if (address === undefined || family === 0) return null
  return LOCAL.check(address, family === 6 ? 'ipv6' : 'ipv4') ? null : address
}

/** Returns the network that one client is assigned: an IPv4 address itself, the /64 of an IPv6 address. `unknown` without an address. */
export function networkOf(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '') // mapped IPv4; the zone of link-local IPv6
  if (isIP(plain) !== 6) return plain
  const [left = '', right = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [left.split(':').filter(Boolean), right.split(':').filter(Boolean)]
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Returns the peer's address; removes the IPv6 prefix that a dual-stack socket adds to IPv4. */
const peerOf = (request: IncomingMessage) => request.socket.remoteAddress?.replace(/^::ffff:/, '')
