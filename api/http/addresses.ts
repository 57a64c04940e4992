import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Tells who is calling, by which peers may say it for others. */
export type FindAddresses = (request: IncomingMessage) => {
  /** The end user's or client's address: `X-Real-IP` from a trusted proxy, else the peer's own. */
  readonly address: string | undefined
  /** `X-Real-IP` when the peer is a trusted proxy, else nothing. */
  readonly forwardedAddress: string | undefined
}

/** @param trusted addresses and networks in CIDR notation of the proxies whose `X-Real-IP` counts. */
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

/** What one client has of addresses: itself in IPv4; in IPv6 the /64 that it is given. `unknown` where there is none. */
export function networkOf(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '') // mapped IPv4; the zone of link-local IPv6
  if (isIP(plain) !== 6) return plain
  const [left = '', right = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const [head, tail] = [left.split(':').filter(Boolean), right.split(':').filter(Boolean)]
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** An IPv4 peer of a dual-stack socket without its IPv6 prefix. */
const peerOf = (request: IncomingMessage) => request.socket.remoteAddress?.replace(/^::ffff:/, '')
