import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { FactorOwner } from '../../db/sign-in/factor-owner.ts'
import { addUser, type Service } from './service.ts'

/** Resources of second factors for the requests of all routes. */
export interface FactorSubject {
  /** Id of a factor of the owner. */
  readonly factorId: string
  /** Body that adds a factor of the owner. */
  readonly factorRegistration: object
  /** A code of the owner's. */
  readonly totp: string
  /** Body that completes a sign-in of another user. */
  readonly factorAnswer: object
}

/** Gives the owner an authenticator app and another user of the subscription the same, and nobody else any factor. */
export async function openFactors(
  { db, challenges }: Pick<Service, 'db' | 'challenges'>,
  owner: FactorOwner,
): Promise<FactorSubject> {
  const { subscriptionId } = owner
  const userId = await addUser(db, subscriptionId, `${crypto.randomUUID()}@lender.example`, 'analyst')
  const other = { subscriptionId, userId }
  const secret = randomBytes(20)
  const totp = new TOTP({ secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) }).generate()
  const add = async (of: FactorOwner) => {
    const id = crypto.randomUUID()
    const row = { subscription_id: subscriptionId, user_id: of.userId, kind: 'totp', name: 'App' }
    await db('factors').insert({ ...row, id, secret, last_step: 0 })
    return id
  }
  await db('factors').where({ subscription_id: subscriptionId }).delete()
  await add(other)
  const data = secret.toString('base64url')
  const registration = await challenges.issue('register_totp', { subject: owner, data })
  const login = await challenges.issue('second_factor', { subject: other })
  return {
    factorId: await add(owner),
    factorRegistration: { challenge: registration.challenge, name: 'Another app', totp },
    factorAnswer: { challenge: login.challenge, totp },
    totp,
  }
}
