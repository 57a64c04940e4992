import type { BeginSession } from '../account/begin-session.ts'
import type { FactorDependencies } from '../factors/factor-dependencies.ts'
import type { openRequireSecondFactor } from '../factors/require-second-factor.ts'
import type { Attempts } from './attempts.ts'
import type { Providers } from './providers.ts'

/** Dependencies of the endpoints of single sign-on. */
export interface SsoDependencies extends FactorDependencies {
  readonly providers: Providers
  readonly attempts: Attempts
  readonly beginSession: BeginSession
  readonly requireSecondFactor: ReturnType<typeof openRequireSecondFactor>
}

/** Path of the portal to which the provider of a connection sends browsers back. */
export const CALLBACK = '/api/account/v1/sso/callback'
