/** The user whose secret it is. */
interface Owner {
  readonly subscriptionId: number
  readonly userId: number
}

/**
 * Seals the secret of a TOTP factor for storage. Every write of the column goes through here and every read through
 * `unsealSecret`, so that encryption is a change of this file only. The database's own encryption protects it until then.
 */
export const sealSecret = async (_owner: Owner, secret: Buffer): Promise<Buffer> => secret

/** Returns the secret that `sealSecret` sealed for the same user. */
export const unsealSecret = async (_owner: Owner, sealed: Buffer): Promise<Buffer> => sealed
