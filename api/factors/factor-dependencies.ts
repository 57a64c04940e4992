import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { LoginDependencies } from '../account/check-login.ts'
import { Problem } from '../http/problem.ts'
import type { Challenges } from './challenges.ts'
import type { FindRelyingParty, RelyingParty } from './relying-party.ts'

/** Dependencies of the endpoints of second factors. */
export interface FactorDependencies extends LoginDependencies {
  readonly db: Db
  readonly vault: Vault
  readonly challenges: Challenges
  readonly findRelyingParty: FindRelyingParty
}

/** @throws Problem `conflict` where passkeys are unavailable. */
export function requireRelyingParty(party: RelyingParty | undefined): RelyingParty {
  if (party) return party
  throw new Problem('conflict', {
    detail:
      'Passkeys are unavailable: the operator of this service has not set its public address (PUBLIC_URL)',
  })
}
