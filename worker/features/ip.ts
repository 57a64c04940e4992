import { BlockList, isIP } from 'node:net'
import type { CaptureInput, Extracted } from './extractor.ts'

/**
 * Addresses that are not public.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry
 */
const PRIVATE = new BlockList()
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4') // RFC 1918, private
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4')
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4')
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4') // RFC 6598, carrier-grade NAT
PRIVATE.addSubnet('127.0.0.0', 8, 'ipv4') // RFC 1122, loopback
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4') // RFC 3927, link-local
PRIVATE.addSubnet('fc00::', 7, 'ipv6') // RFC 4193, unique local
PRIVATE.addAddress('::1', 'ipv6') // RFC 4291, loopback
PRIVATE.addSubnet('fe80::', 10, 'ipv6') // RFC 4291, link-local

/** RFC 4291, section 2.5.5.2: IPv4 addresses written as IPv6, as dual-stack servers report them. */
const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')

/** The end user's address. Invalid addresses count as missing; an IPv4-mapped address counts as its IPv4 address. */
export function extractIp({ realIp }: CaptureInput): Extracted<'ip_known' | 'ip_version' | 'ip_private'> {
  const address = realIp?.trim() ?? ''
  const version = isIP(address)
  if (version === 0) return { ip_known: false, ip_version: undefined, ip_private: undefined }

  const family = version === 4 ? 'ipv4' : 'ipv6'
  return {
    ip_known: true,
    ip_version: version === 6 && MAPPED.check(address, 'ipv6') ? 4 : version,
    ip_private: PRIVATE.check(address, family), // also matches IPv4-mapped addresses
  }
}
