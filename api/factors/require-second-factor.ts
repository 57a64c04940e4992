import type { User } from '../../db/accounts/users.ts'
import { summariseFactors } from '../../db/sign-in/factors.ts'
import { listPasskeys } from '../../db/sign-in/passkeys.ts'
import { Problem } from '../http/problem.ts'
import type { FactorDependencies } from './factor-dependencies.ts'
import { passkeyRequestOptions } from './passkeys.ts'

/** What a challenge after a sign-in by single sign-on keeps, so that its session is named so. */
export const AFTER_SSO = 'sso'

/**
 * Asks a user whose password was right, or who comes from single sign-on, for a second factor, if the user has one.
 *
 * @throws Problem `second_factor_required` with a challenge and the user's kinds of factors.
 */
export const openRequireSecondFactor =
  ({ db, challenges, findRelyingParty }: FactorDependencies) =>
  async (
    { subscriptionId, id: userId }: User,
    host: string | undefined,
    after?: typeof AFTER_SSO,
  ): Promise<void> => {
    const owner = { subscriptionId, userId }
    const party = findRelyingParty(host)
    const { hasPasskey, hasTotp, recoveryCodes } = await summariseFactors(db, owner)
    if (!hasPasskey && !hasTotp) return
    const { id, challenge } = await challenges.issue('second_factor', {
      subject: owner,
      ...(after !== undefined && { data: after }),
    })
    const passkey =
      hasPasskey && party && (await passkeyRequestOptions(party, id, await listPasskeys(db, owner)))
    throw new Problem('second_factor_required', {
      members: {
        challenge,
        factors: [
          ...(hasTotp ? (['totp'] as const) : []),
          ...(passkey ? (['passkey'] as const) : []),
          ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
        ],
        ...(passkey && { passkey: { ...passkey } }),
      },
    })
  }
