import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Passkey } from '../../db/sign-in/passkeys.ts'
import type { NewPasskey, PasskeyAnswer } from './factor-schemas.ts'
import type { RelyingParty } from './relying-party.ts'

/** Loaded at the first ceremony: up to 1 s and 29 MB, which processes without passkeys do not need. */
const load = () => import('@simplewebauthn/server')

/** COSE algorithms of keys: Ed25519, P-256, RSA. @see RFC 9053, RFC 8812 */
const ALGORITHMS = [-8, -7, -257]

const TIMEOUT_MS = 5 * 60 * 1_000

const bytesOf = (base64url: string) => Buffer.from(base64url, 'base64url')
const descriptorOf = ({ credentialId, transports }: Pick<Passkey, 'credentialId' | 'transports'>) => ({
  id: credentialId.toString('base64url'),
  transports: [...transports],
})

/**
 * Options for a new passkey. It must be discoverable and verify its user (by PIN or biometrics), so that it can also replace the
 * password. No attestation is asked for: any make of authenticator is accepted.
 */
export async function passkeyCreationOptions(
  party: RelyingParty,
  {
    challenge,
    email,
    subscription,
    userHandle,
    present,
  }: {
    readonly challenge: string
    readonly email: string
    readonly subscription: string
    readonly userHandle: Buffer
    /** Passkeys that the user has: an authenticator has one. */
    readonly present: readonly Passkey[]
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load()
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: 'Inkling',
    userID: Uint8Array.from(userHandle),
    userName: email,
    userDisplayName: `${email} (${subscription})`,
    challenge: Uint8Array.from(bytesOf(challenge)),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: present.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** Returns the verified passkey, or undefined: another challenge, origin or relying party, or a user who was not verified. */
export async function verifyNewPasskey(
  party: RelyingParty,
  challenge: string,
  answer: NewPasskey,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined> {
  const { verifyRegistrationResponse } = await load()
  const { response, ...credential } = answer
  if (!(await isWithoutCertificate(response.attestationObject))) return undefined
  const { transports = [] } = response
  const { registrationInfo } = await orNothing(
    verifyRegistrationResponse({
      response: { ...credential, response: { ...response, transports }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!registrationInfo) return undefined
  const { id, publicKey, counter } = registrationInfo.credential
  return { credentialId: bytesOf(id), publicKey: Buffer.from(publicKey), counter, transports }
}

/**
 * Whether an attestation is none or a signature by the passkey itself, all that browsers send where none is asked for. Others are
 * refused unread: the package would fetch the revocation list from the address in a certificate that the client chose.
 */
async function isWithoutCertificate(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(Uint8Array.from(bytesOf(attestationObject)))
    const format: string = attestation.get('fmt')
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  } catch {
    return false
  }
}

/** Options for the answer of a passkey: one of those given, or without any, whichever the authenticator has for this service. */
export async function passkeyRequestOptions(
  party: RelyingParty,
  challenge: string,
  allowed?: readonly Passkey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load()
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: Uint8Array.from(bytesOf(challenge)),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    ...(allowed && { allowCredentials: allowed.map(descriptorOf) }),
  })
}

/** Returns the new count of the passkey's uses, or undefined for an answer that is not valid. */
export async function verifyPasskeyAnswer(
  party: RelyingParty,
  challenge: string,
  passkey: Passkey,
  answer: PasskeyAnswer,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await load()
  const { response, ...credential } = answer
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  if (userHandle && !bytesOf(userHandle).equals(passkey.userHandle)) return undefined
  const { verified, authenticationInfo } = await orNothing(
    verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  )
  return verified ? authenticationInfo?.newCounter : undefined
}

/** The package throws for every answer that is not valid, whatever is wrong with it. */
const orNothing = <T extends object>(verified: Promise<T>): Promise<Partial<T>> => verified.catch(() => ({}))
