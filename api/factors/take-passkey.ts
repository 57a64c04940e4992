import type { Db } from '../../db/postgres/database.ts'
import type { FactorOwner } from '../../db/sign-in/factor-owner.ts'
import { findPasskey, type Passkey, recordPasskeyUse } from '../../db/sign-in/passkeys.ts'
import { takeChallenge } from '../../db/sign-in/used-challenges.ts'
import type { Challenge } from './challenges.ts'
import type { PasskeyAnswer } from './factor-schemas.ts'
import { verifyPasskeyAnswer } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'

/**
 * Verifies the answer of a passkey and uses up its challenge.
 *
 * @returns the passkey, of the challenge's user if it has one; undefined for an answer that is not valid.
 */
export async function takePasskey(
  db: Db,
  party: RelyingParty,
  challenge: Challenge,
  answer: PasskeyAnswer,
): Promise<Passkey | undefined> {
  const passkey = await findPasskey(db, Buffer.from(answer.id, 'base64url'))
  if (!passkey || (challenge.subject && !isOf(challenge.subject, passkey))) return undefined
  const { subscriptionId, id } = passkey
  // before the verification: two answers at once would otherwise both be accepted
  if (!(await takeChallenge(db, { ...challenge, subscriptionId }))) return undefined
  const counter = await verifyPasskeyAnswer(party, challenge.id, passkey, answer)
  if (counter === undefined) return undefined
  await recordPasskeyUse(db, { subscriptionId, id, counter })
  return passkey
}

const isOf = (owner: FactorOwner, passkey: Passkey) =>
  passkey.subscriptionId === owner.subscriptionId && passkey.userId === owner.userId
