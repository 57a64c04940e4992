import { BlockList, isIP } from 'node:net'

/** IPv4 networks of machines, local networks and providers, which no peer in the Internet has. @see RFC 6890 */
export const LOCAL_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]

/** Networks from which nobody in the Internet can connect: this machine, and private networks of both families. @see RFC 1918, RFC 4193 */
export const PRIVATE_NETWORKS: readonly string[] = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
]

/** Whether a text is an address, or a network in CIDR notation such as `10.0.0.0/8`. */
export function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 &&
    !address.includes('%') &&
    rest.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  )
}

/** Opens a test whether an address is one of these addresses or within one of these networks; none has no address. */
export function openNetworks(entries: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [network = '', prefix] = entry.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(network, family)
    else list.addSubnet(network, Number(prefix), family)
  }
  return (address) => {
    const plain = plainAddress(address)
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** An address without the zone of a link-local one; IPv4 that a dual-stack socket maps to IPv6 as itself. */
export const plainAddress = (address = ''): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
