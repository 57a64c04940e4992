import type { SealedFor } from '../encryption/seal.ts'
import type { Vault } from '../encryption/vault.ts'
import type { FactorOwner } from './factor-owner.ts'

const sealedFor = ({ subscriptionId, userId }: FactorOwner): SealedFor => ({
  subscriptionId,
  kind: 'totp',
  name: String(userId),
})

/** Returns the secret of a TOTP factor as it is to be stored. @throws DataKeyError */
export const sealSecret = async (vault: Vault, owner: FactorOwner, secret: Buffer): Promise<Buffer> =>
  (await vault.seal(sealedFor(owner), secret)) ?? secret

/** Returns the secret that `sealSecret` sealed for the same user. @throws DataKeyError */
export const openSecret = (vault: Vault, owner: FactorOwner, stored: Buffer): Promise<Buffer> =>
  vault.open(sealedFor(owner), stored)
