/** The service as authenticators know it. @see WebAuthn Level 3, relying party identifier */
export interface RelyingParty {
  /** The host of the portal: passkeys work on this host only. */
  readonly id: string
  /** Scheme, host and port of the portal. */
  readonly origin: string
}

/** Finds the relying party of a request; undefined where passkeys are unavailable. */
export type FindRelyingParty = (host: string | undefined) => RelyingParty | undefined

const LOCALHOST = /^localhost(:\d{1,5})?$/

/**
 * @param publicUrl address of the portal. Without it, passkeys work on localhost only: the host of a request is not trusted, since
 *   whoever forwards requests chooses it.
 */
export function openRelyingParty(publicUrl: string | undefined): FindRelyingParty {
  if (publicUrl !== undefined) {
    const { hostname, origin } = new URL(publicUrl)
    return () => ({ id: hostname, origin })
  }
  return (host = '') => (LOCALHOST.test(host) ? { id: 'localhost', origin: `http://${host}` } : undefined)
}
