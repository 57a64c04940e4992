import { z } from 'zod'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]*$/, 'must be base64url')
    .max(max, `must have at most ${max} characters`)

/** Id of a credential: at most 1,023 bytes. @see WebAuthn Level 3, credential id */
const CredentialId = base64url(1_364).meta({
  description: 'Id of the passkey, base64url',
  examples: ['Wq3dJ8mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u'],
})

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key').meta({ description: 'Type of the credential' }),
}

const ClientData = base64url(4_096).meta({
  description: 'clientDataJSON, base64url',
  examples: ['eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'],
})

/** A new passkey, as `PublicKeyCredential.toJSON()` returns it; further members are ignored. */
export const NewPasskey = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON: ClientData,
        attestationObject: base64url(16_384).meta({
          description: 'attestationObject, base64url',
          examples: ['o2NmbXRkbm9uZQ'],
        }),
        transports: z
          .array(z.string().max(30))
          .max(10)
          .optional()
          .meta({ description: 'Transports of the authenticator', examples: [['internal']] }),
      })
      .meta({ description: 'Answer of the authenticator' }),
  })
  .meta({ id: 'NewPasskey' })

export type NewPasskey = z.output<typeof NewPasskey>

/** The answer of a passkey to a challenge, as `PublicKeyCredential.toJSON()` returns it; further members are ignored. */
export const PasskeyAnswer = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON: ClientData,
        authenticatorData: base64url(4_096).meta({
          description: 'authenticatorData, base64url',
          examples: ['SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'],
        }),
        signature: base64url(4_096).meta({
          description: 'Signature, base64url',
          examples: ['MEUCIQDw2n2hpQH1rRz0'],
        }),
        userHandle: base64url(200)
          .nullish()
          .meta({ description: 'User handle, base64url', examples: ['b2Zmc2V0'] }),
      })
      .meta({ description: 'Answer of the authenticator' }),
  })
  .meta({ id: 'PasskeyAnswer' })

export type PasskeyAnswer = z.output<typeof PasskeyAnswer>

const TotpCode = z
  .string()
  .regex(/^\d{6}$/, 'must have 6 digits')
  .meta({ description: 'Code that the authenticator app shows', examples: ['492039'] })

const RecoveryCode = text(1, 40).meta({
  description: 'One of the recovery codes; works once',
  examples: ['7t3k-9mwd-x2pa-hv5q-0c8n-e4jr'],
})

const CHALLENGE = 'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJqdGkiOiI0MiJ9.c2lnbmF0dXJl'

const ChallengeText = text(1, 2_000).meta({
  description: 'The challenge that this answers; valid for 5 minutes',
  examples: [CHALLENGE],
})

const FactorName = text(1, 60).meta({
  description: 'Name chosen by the user, to tell factors apart',
  examples: ['My telephone'],
})

const exactlyOne =
  (...names: readonly string[]) =>
  (value: Readonly<Record<string, unknown>>) =>
    names.filter((name) => value[name] !== undefined).length === 1

/** Answer to the challenge of a sign-in: a factor, or a recovery code in its place. */
export const FactorAnswer = z
  .object({
    challenge: ChallengeText,
    totp: TotpCode.optional(),
    passkey: PasskeyAnswer.optional().meta({ description: 'Answer of a passkey to the challenge' }),
    recoveryCode: RecoveryCode.optional(),
  })
  .refine(exactlyOne('totp', 'passkey', 'recoveryCode'), {
    message: 'must have one of totp, passkey and recoveryCode',
  })
  .meta({ id: 'FactorAnswer', examples: [{ challenge: CHALLENGE, totp: '492039' }] })

export type FactorAnswer = z.output<typeof FactorAnswer>

/** Proof that the user of a session is still the same person. */
export const StepUpRequest = z
  .object({
    password: text(1, 1_000)
      .optional()
      .meta({ description: 'Password of the user', examples: ['correct horse battery staple'] }),
    totp: TotpCode.optional(),
    challenge: ChallengeText.optional(),
    passkey: PasskeyAnswer.optional().meta({ description: 'Answer of a passkey to the challenge' }),
  })
  .refine(exactlyOne('password', 'totp', 'passkey'), {
    message: 'must have one of password, totp and passkey',
  })
  .refine(({ passkey, challenge }) => !passkey || challenge !== undefined, {
    path: ['challenge'],
    message: 'is required with passkey',
  })
  .meta({ id: 'StepUpRequest', examples: [{ password: 'correct horse battery staple' }] })

/** Request that adds a factor: the answer to the challenge of its registration. */
export const FactorRegistration = z
  .object({
    challenge: ChallengeText,
    name: FactorName,
    totp: TotpCode.optional(),
    passkey: NewPasskey.optional().meta({ description: 'The new passkey' }),
  })
  .refine(exactlyOne('totp', 'passkey'), { message: 'must have one of totp and passkey' })
  .meta({
    id: 'FactorRegistration',
    examples: [{ challenge: CHALLENGE, name: 'My telephone', totp: '492039' }],
  })

export const FactorRename = z.object({ name: FactorName }).meta({ id: 'FactorRename' })

export const FactorId = z
  .string()
  .meta({ description: 'Id of the factor', examples: ['0d3c9a52-7d0e-4b7b-8a43-2f6d0c1e9b10'] })

const FactorItem = z
  .object({
    id: FactorId,
    kind: z.enum(['passkey', 'totp']).meta({ description: 'totp: codes of an authenticator app' }),
    name: FactorName,
    createdAt: Timestamp.meta({ description: 'When the factor was added; UTC' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When the factor was last used; UTC' }),
  })
  .meta({ id: 'Factor' })

export const FactorList = z
  .object({
    items: z.array(FactorItem).meta({ description: 'Oldest first' }),
    recoveryCodes: z.int().meta({ description: 'Number of unused recovery codes', examples: [10] }),
    required: z.boolean().meta({ description: 'Whether the policy of the subscription requires a factor' }),
    passkeysAvailable: z
      .boolean()
      .meta({ description: 'Whether the service knows its public address, which passkeys are bound to' }),
  })
  .meta({ id: 'FactorList' })

const RecoveryCodeList = z.array(z.string()).meta({
  description: 'Each replaces a factor once; cannot be shown again',
  examples: [['7t3k-9mwd-x2pa-hv5q-0c8n-e4jr']],
})

export const AddedFactor = z
  .object({
    id: FactorId,
    recoveryCodes: RecoveryCodeList.nullable().meta({
      description: '10 recovery codes with the first factor, which cannot be shown again; otherwise null',
    }),
  })
  .meta({ id: 'AddedFactor' })

export const RecoveryCodes = z.object({ recoveryCodes: RecoveryCodeList }).meta({ id: 'RecoveryCodes' })

/** Options of a passkey ceremony for a browser. */
const PasskeyOptions = z
  .record(z.string(), z.unknown())
  .meta({ examples: [{ challenge: 'nV9cQ2mXe7bLd4fHg6iOaN9yCzQsZr0cPq1nA5vYw3u', rpId: 'inkling.example' }] })

const NewChallenge = ChallengeText.meta({
  description: 'Send it back with the answer; valid for 5 minutes',
})

export const TotpStart = z
  .object({
    challenge: NewChallenge,
    secret: z
      .string()
      .meta({ description: 'Secret to type into an authenticator app', examples: ['JBSWY3DPEHPK3PXP'] }),
    uri: z.string().meta({
      description: 'The same for a QR code',
      examples: ['otpauth://totp/Inkling:analyst%40lender.example?secret=JBSWY3DPEHPK3PXP'],
    }),
  })
  .meta({ id: 'TotpStart' })

export const PasskeyCreation = z
  .object({
    challenge: NewChallenge,
    options: PasskeyOptions.meta({
      description: 'Pass them to PublicKeyCredential.parseCreationOptionsFromJSON()',
    }),
  })
  .meta({ id: 'PasskeyCreation' })

export const PasskeyRequest = z
  .object({
    challenge: NewChallenge,
    options: PasskeyOptions.meta({
      description: 'Pass them to PublicKeyCredential.parseRequestOptionsFromJSON()',
    }),
  })
  .meta({ id: 'PasskeyRequest' })

/** Policy of a subscription. */
export const PolicyItem = z
  .object({
    factorsRequired: z.enum(['nobody', 'admins', 'everybody']).meta({
      description: 'Who needs a second factor: until they add one, they can do nothing else in the portal',
    }),
    fourEyes: z.boolean().meta({
      description: 'Whether the author of a scorecard version may not promote it',
      examples: [true],
    }),
  })
  .meta({ id: 'Policy' })

export const PolicyChange = PolicyItem.partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'must have factorsRequired or fourEyes',
  })
  .meta({ id: 'PolicyChange' })
