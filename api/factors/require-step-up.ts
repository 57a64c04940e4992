import type { Db } from '../../db/postgres/database.ts'
import { findStepUpState, type StepUpState } from '../../db/sign-in/step-up.ts'
import type { LoginCaller, StepUp } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'

/** How long ago users may have proved who they are, for a request that needs a step-up. */
const STEP_UP_SECONDS = 10 * 60

/** Ways to prove it again. */
const STEP_UP_WAYS = ['password', 'totp', 'passkey', 'sso'] as const

/**
 * Rejects a request that needs a step-up. The row of the session decides, not the token: a refreshed token is no newer proof.
 *
 * @throws Problem `step_up_required` with the ways to do so, or `factor_required`.
 * @see RFC 9470, OAuth 2.0 Step Up Authentication Challenge
 */
export type RequireStepUp = (caller: LoginCaller, stepUp: StepUp) => Promise<void>

export const openRequireStepUp =
  (db: Db): RequireStepUp =>
  async (caller, stepUp) => {
    const state = await findStepUpState(db, caller)
    if (!state) throw new Problem('unauthenticated')
    if (state.ageSeconds > STEP_UP_SECONDS)
      throw new Problem('step_up_required', {
        members: { ways: listWays(state), maxAgeSeconds: STEP_UP_SECONDS },
      })
    const isMissing = state.factorRequired && !state.hasPasskey && !state.hasTotp && !state.hasFactorOfSso
    if (isMissing && stepUp === 'with_factor') throw new Problem('factor_required')
  }

const listWays = ({ hasPassword, hasTotp, hasPasskey, hasSso }: StepUpState) => {
  const has = { password: hasPassword, totp: hasTotp, passkey: hasPasskey, sso: hasSso }
  return STEP_UP_WAYS.filter((way) => has[way])
}
