import { isIP } from 'node:net'
import { LOCAL_IPV4, openNetworks, plainAddress } from './networks.ts'

/** IPv4 networks that are not of the Internet. @see RFC 6890 */
const isInside = openNetworks([
  ...LOCAL_IPV4,
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])

/** IPv6: global unicast, without what embeds an IPv4 address (Teredo, 6to4) and examples. @see RFC 4291, section 2.4 */
const isGlobal = openNetworks(['2000::/3'])
const isReserved = openNetworks(['2001::/23', '2001:db8::/32', '2002::/16'])

/** Whether a connection to an address may be made. */
export type MayConnect = (address: string) => boolean

/** Permits addresses of the Internet. @param allowed networks in CIDR notation that are permitted besides. */
export function openMayConnect(allowed: readonly string[]): MayConnect {
  const isAllowed = openNetworks(allowed)
  return (address) => {
    const family = isIP(plainAddress(address))
    if (family === 0) return false
    if (isAllowed(address)) return true
    return family === 4 ? !isInside(address) : isGlobal(address) && !isReserved(address)
  }
}
