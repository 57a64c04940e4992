import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are not of the Internet. @see RFC 6890 */
const INSIDE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv4')

/** IPv6: global unicast, without what embeds an IPv4 address (Teredo, 6to4) and examples. @see RFC 4291, section 2.4 */
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')
const NOT_GLOBAL = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const)
  NOT_GLOBAL.addSubnet(network, prefix, 'ipv6')

/** Whether a connection to an address may be made. */
export type MayConnect = (address: string) => boolean

/** Permits addresses of the Internet. @param allowed networks in CIDR notation that are permitted besides. */
export function openMayConnect(allowed: readonly string[]): MayConnect {
  const permitted = new BlockList()
  for (const entry of allowed) {
    const [network = '', prefix] = entry.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    permitted.addSubnet(network, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (address) => {
    const family = isIP(address)
    if (family === 0) return false
    if (family === 4) return permitted.check(address, 'ipv4') || !INSIDE.check(address, 'ipv4')
    if (permitted.check(address, 'ipv6')) return true
    return GLOBAL.check(address, 'ipv6') && !NOT_GLOBAL.check(address, 'ipv6')
  }
}
