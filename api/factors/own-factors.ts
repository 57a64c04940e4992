import { z } from 'zod'
import { findSubscriptionName } from '../../db/accounts/subscriptions.ts'
import type { NewFactor } from '../../db/sign-in/factors.ts'
import {
  addFactor,
  listFactors,
  removeFactor,
  renameFactor,
  summariseFactors,
} from '../../db/sign-in/factors.ts'
import { findUserHandle, listPasskeys } from '../../db/sign-in/passkeys.ts'
import { renewRecoveryCodes } from '../../db/sign-in/recovery-codes.ts'
import { findStepUpState } from '../../db/sign-in/step-up.ts'
import { sealSecret } from '../../db/sign-in/totp-secrets.ts'
import { takeChallenge } from '../../db/sign-in/used-challenges.ts'
import { ACCOUNT_BODY_BYTES } from '../account/account-schemas.ts'
import { endpoint, type LoginCaller } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Challenge } from './challenges.ts'
import { type FactorDependencies, requireRelyingParty } from './factor-dependencies.ts'
import {
  AddedFactor,
  FactorId,
  FactorList,
  FactorRegistration,
  FactorRename,
  PasskeyCreation,
  RecoveryCodes,
  TotpStart,
} from './factor-schemas.ts'
import { passkeyCreationOptions, verifyNewPasskey } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { findTotpStep, makeTotpSecret, presentTotpSecret } from './totp.ts'

const PATH = '/api/account/v1/factors'

const OWN = { kind: 'login', roles: ['admin', 'analyst'] } as const

const ownerOf = ({ subscriptionId, userId }: LoginCaller) => ({ subscriptionId, userId })

const requireFactorId = (id = ''): string => {
  if (!z.uuid().safeParse(id).success) throw new Problem('not_found')
  return id
}

/** Endpoints by which users see, add, rename and remove their own factors. */
export function ownFactors({ db, vault, challenges, findRelyingParty }: FactorDependencies) {
  const list = endpoint({
    method: 'get',
    path: PATH,
    operationId: 'listFactors',
    tag: 'Account',
    summary: 'Lists the second factors of the user',
    credential: OWN,
    response: { status: 200, description: 'The factors', schema: FactorList },
    problems: [],
    async act({ caller, header }) {
      const { recoveryCodes } = await summariseFactors(db, caller)
      const state = await findStepUpState(db, caller)
      return {
        items: await listFactors(db, caller),
        recoveryCodes,
        required: state?.factorRequired ?? false,
        passkeysAvailable: findRelyingParty(header('host')) !== undefined,
      }
    },
  })

  const beginTotp = endpoint({
    method: 'post',
    path: `${PATH}/totp`,
    operationId: 'beginTotp',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Begins to add an authenticator app',
    description: `Returns a new secret for the app. Send a code that the app shows to \`${PATH}\`.`,
    credential: OWN,
    stepUp: 'without_factor',
    response: { status: 200, description: 'The secret and its challenge', schema: TotpStart },
    problems: [],
    async act({ caller }) {
      const secret = makeTotpSecret()
      const { challenge } = await challenges.issue('register_totp', {
        subject: ownerOf(caller),
        data: secret.toString('base64url'),
      })
      const subscription = await findSubscriptionName(db, caller.subscriptionId)
      return { challenge, ...presentTotpSecret(secret, { email: caller.email, subscription }) }
    },
  })

  const beginPasskey = endpoint({
    method: 'post',
    path: `${PATH}/passkey`,
    operationId: 'beginPasskey',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Begins to add a passkey',
    description: `Send the answer of the authenticator to \`${PATH}\`. A passkey also signs in without a password.`,
    credential: OWN,
    stepUp: 'without_factor',
    response: { status: 200, description: 'Options for the authenticator', schema: PasskeyCreation },
    problems: ['conflict'],
    async act({ caller, header }) {
      const party = requireRelyingParty(findRelyingParty(header('host')))
      const userHandle = await findUserHandle(db, caller)
      const { id, challenge } = await challenges.issue('register_passkey', {
        subject: ownerOf(caller),
        data: userHandle.toString('base64url'),
      })
      const subscription = await findSubscriptionName(db, caller.subscriptionId)
      const present = await listPasskeys(db, caller)
      const names = { email: caller.email, subscription, userHandle }
      return { challenge, options: await passkeyCreationOptions(party, { challenge: id, present, ...names }) }
    },
  })

  /** Verifies the answer to a challenge of a registration. @throws Problem `validation_failed` for a wrong one. */
  async function verifyNewFactor(
    challenge: Challenge,
    { name, totp, passkey }: z.output<typeof FactorRegistration>,
    caller: LoginCaller,
    party: RelyingParty | undefined,
  ): Promise<NewFactor> {
    const data = Buffer.from(challenge.data ?? '', 'base64url')
    if (totp !== undefined) {
      const lastStep = findTotpStep(data, totp, Date.now())
      if (lastStep !== undefined)
        return { kind: 'totp', name, secret: await sealSecret(vault, caller, data), lastStep }
    }
    const verified = passkey && (await verifyNewPasskey(requireRelyingParty(party), challenge.id, passkey))
    if (verified) return { kind: 'passkey', name, ...verified, userHandle: data }
    throw new Problem('validation_failed', {
      errors: { [totp === undefined ? 'passkey' : 'totp']: ['is not the answer to this challenge'] },
    })
  }

  const add = endpoint({
    method: 'post',
    path: PATH,
    operationId: 'addFactor',
    idempotency: 'idempotent',
    tag: 'Account',
    summary: 'Adds a second factor',
    description:
      'From then on the user needs a factor to sign in. The first factor ends the other sessions of the user, and comes with recovery ' +
      'codes. Recorded in the audit log.',
    credential: OWN,
    stepUp: 'without_factor',
    body: FactorRegistration,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: { status: 200, description: 'The factor is added', schema: AddedFactor },
    problems: ['challenge_invalid', 'conflict'],
    async act({ caller, actor, body, header }) {
      const owner = ownerOf(caller)
      const purpose = body.totp === undefined ? 'register_passkey' : 'register_totp'
      const challenge = await challenges.verify(purpose, body.challenge)
      const { subscriptionId, userId } = challenge?.subject ?? {}
      if (!challenge || subscriptionId !== owner.subscriptionId || userId !== owner.userId)
        throw new Problem('challenge_invalid')
      const factor = await verifyNewFactor(challenge, body, caller, findRelyingParty(header('host')))
      // afterwards, so that a mistyped code can be corrected
      if (!(await takeChallenge(db, { ...challenge, ...owner }))) throw new Problem('challenge_invalid')
      const added = await addFactor(db, { owner, sessionId: caller.sessionId, actor, factor })
      if (!added)
        throw new Problem('conflict', { detail: 'The passkey is registered already, or you have 10 factors' })
      return added
    },
  })

  const rename = endpoint({
    method: 'patch',
    path: `${PATH}/:id`,
    operationId: 'renameFactor',
    idempotency: 'idempotent',
    tag: 'Account',
    summary: 'Renames a second factor of the user',
    description: 'Recorded in the audit log.',
    credential: OWN,
    params: { id: FactorId },
    body: FactorRename,
    response: { status: 204, description: 'The factor is renamed' },
    problems: ['not_found'],
    async act({ caller, actor, params, body: { name } }) {
      const id = requireFactorId(params.id)
      if (!(await renameFactor(db, { ...ownerOf(caller), id, name, actor }))) throw new Problem('not_found')
    },
  })

  const remove = endpoint({
    method: 'delete',
    path: `${PATH}/:id`,
    operationId: 'removeFactor',
    tag: 'Account',
    summary: 'Removes a second factor of the user',
    description:
      'The last one removes the recovery codes, too; it stays where the policy of the subscription requires one. Recorded in the ' +
      'audit log.',
    credential: OWN,
    stepUp: 'with_factor',
    params: { id: FactorId },
    response: { status: 204, description: 'The factor is removed' },
    problems: ['not_found', 'conflict'],
    async act({ caller, actor, params }) {
      const id = requireFactorId(params.id)
      const keepLast = (await findStepUpState(db, caller))?.factorRequired ?? false
      const removed = await removeFactor(db, { ...ownerOf(caller), id, keepLast, actor })
      if (removed === 'last')
        throw new Problem('conflict', {
          detail: 'Your subscription requires a second factor; add another one before you remove this one',
        })
      if (!removed) throw new Problem('not_found')
    },
  })

  const renewCodes = endpoint({
    method: 'post',
    path: '/api/account/v1/recovery-codes',
    operationId: 'renewRecoveryCodes',
    idempotency: 'not_idempotent',
    tag: 'Account',
    summary: 'Replaces the recovery codes of the user',
    description: 'The previous codes stop working. Recorded in the audit log.',
    credential: OWN,
    stepUp: 'with_factor',
    response: { status: 200, description: 'The new codes', schema: RecoveryCodes },
    problems: ['conflict'],
    async act({ caller, actor }) {
      const recoveryCodes = await renewRecoveryCodes(db, { ...ownerOf(caller), actor })
      if (!recoveryCodes)
        throw new Problem('conflict', {
          detail: 'Recovery codes replace a second factor; add a factor first',
        })
      return { recoveryCodes }
    },
  })

  return [list, beginTotp, beginPasskey, add, rename, remove, renewCodes]
}
