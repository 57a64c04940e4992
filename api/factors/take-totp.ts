import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { FactorOwner } from '../../db/sign-in/factor-owner.ts'
import { listTotpFactors, takeTotpStep } from '../../db/sign-in/totp-factors.ts'
import { openSecret } from '../../db/sign-in/totp-secrets.ts'
import { findTotpStep } from './totp.ts'

/** Uses up a code of one of the user's authenticator apps. @returns whether it was right and not used before. */
export async function takeTotp(
  { db, vault }: { db: Db; vault: Vault },
  owner: FactorOwner,
  code: string,
): Promise<boolean> {
  const { subscriptionId } = owner
  for (const { id, secret } of await listTotpFactors(db, owner)) {
    const step = findTotpStep(await openSecret(vault, owner, secret), code, Date.now())
    if (step !== undefined) return takeTotpStep(db, { subscriptionId, id, step })
  }
  return false
}
