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
