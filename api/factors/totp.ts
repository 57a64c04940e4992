import { Secret, TOTP } from 'otpauth'

/** Parameters that every authenticator app supports. @see RFC 6238 */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** 160 bits, the length of the hash. @see RFC 4226, section 4 */
const SECRET_BYTES = 20

/** Codes accepted before and after the present one: clocks of telephones deviate, and typing takes time. */
const WINDOW = 1

export const makeTotpSecret = (): Buffer => Buffer.from(new Secret({ size: SECRET_BYTES }).buffer)

const totpOf = (secret: Buffer, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...PARAMETERS, ...names, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) })

/** Returns the secret for an authenticator app: as text to type, and as the address of a QR code. */
export function presentTotpSecret(
  secret: Buffer,
  { email, subscription }: { email: string; subscription: string },
): { secret: string; uri: string } {
  const totp = totpOf(secret, { issuer: 'Inkling', label: `${email} (${subscription})` })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Returns the step of 30 s since 1970 that a code is of; undefined for a wrong code. The caller accepts each step once. */
export function findTotpStep(secret: Buffer, code: string, now: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : Math.floor(now / 1_000 / PARAMETERS.period) + delta
}
