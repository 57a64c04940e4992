import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** What an authenticator may do differently from what the service asks. */
interface Behaviour {
  /** Origin of the page that uses it. */
  readonly origin: string
  readonly rpId?: string
  /** Whether it verifies its user; true by default. */
  readonly verifiesUser?: boolean
  readonly challenge?: string
}

type Options = Readonly<Record<string, unknown>>

/** An authenticator with one passkey, that answers as WebAuthn says or as its behaviour says otherwise. */
export function openAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let userHandle: string | undefined

  const clientData = (type: string, options: Options, { origin, challenge }: Behaviour) =>
    Buffer.from(
      JSON.stringify({ type, challenge: challenge ?? options.challenge, origin, crossOrigin: false }),
    )

  function authenticatorData(rpId: string, verifiesUser: boolean, attested = Buffer.alloc(0)): Buffer {
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
  }

  return {
    id,
    /** Answers the options of a registration. @param attestation CBOR of an attestation statement instead of none. */
    create(options: Options, behaviour: Behaviour, attestation?: { format: string; statement: Buffer }) {
      const { rpId = (options.rp as { id: string }).id, verifiesUser = true } = behaviour
      userHandle = (options.user as { id: string }).id
      const length = Buffer.from([0, credentialId.length])
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)])
      const attestationObject = cborMap([
        [cborText('fmt'), cborText(attestation?.format ?? 'none')],
        [cborText('attStmt'), attestation?.statement ?? cborMap([])],
        [cborText('authData'), cborBytes(authenticatorData(rpId, verifiesUser, attested))],
      ])
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: clientData('webauthn.create', options, behaviour).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /** Answers the options of a sign-in. */
    answer(options: Options, behaviour: Behaviour) {
      const { rpId = options.rpId as string, verifiesUser = true } = behaviour
      const data = authenticatorData(rpId, verifiesUser)
      const client = clientData('webauthn.get', options, behaviour)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle,
        },
      }
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** @see RFC 9053, section 7.1.1: EC2, ES256, P-256, x, y */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ])
}

/** The head of a CBOR item of up to 65,535. @see RFC 8949, section 3 */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}
const cborInt = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
export const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes])
export const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)])
export const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
