import { isIP } from 'node:net'
import { z } from 'zod'
import type { PrivateJwk } from '../db/accounts/token-keys.ts'
import { MAX_TOKEN_MINUTES } from '../db/accounts/token-lifetime.ts'
import { encryptionVariables } from '../db/encryption/wrapping-keys.ts'
import { webhookVariables } from '../db/events/webhook-variables.ts'
import { limitVariables } from '../db/limits/default-limits.ts'
import { captureStoreVariables } from '../db/object-store/capture-store-url.ts'
import { databaseUrl, integer, networkList, processVariables } from '../db/runtime/env.ts'
import { PRIVATE_NETWORKS } from '../db/runtime/networks.ts'
import { tracingVariables } from '../db/runtime/tracing/tracing-variables.ts'
import { DEFAULT_ADDRESS_HEADER } from './http/address-header.ts'

const SigningKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string().min(1),
  d: z.string().min(1),
})

const KEYS_ADVICE = 'create one with: scripts/admin token-key create'

/** JSON Web Key Set of private Ed25519 keys: the first one signs, all of them verify. */
export const signingKeys = z
  .string({ error: `is required in production; ${KEYS_ADVICE}` })
  .transform((value, context): PrivateJwk[] => {
    try {
      return z.object({ keys: z.array(SigningKey).min(1) }).parse(JSON.parse(value)).keys
    } catch {
      context.addIssue({
        code: 'custom',
        message: `must be a JSON Web Key Set of private Ed25519 keys with kid; ${KEYS_ADVICE}`,
      })
      return z.NEVER
    }
  })

/** One password for all operators, besides their accounts: deprecated. A short one could be guessed. */
const opsPassword = z
  .string()
  .min(16, 'must have at least 16 characters; create one with: openssl rand -base64 24')
  .max(1_000, 'must have at most 1,000 characters')

/** Credential of autoscalers: the characters of a bearer token, which are those of base64 too, as Render generates it. */
const autoscaleToken = z
  .string()
  .regex(
    /^[\w.~+/=-]{16,200}$/,
    'must have 16 to 200 letters, digits, or . _ ~ + / = -; create one with: openssl rand -hex 24',
  )

/** Address of the portal; passkeys are bound to its host, and browsers offer them over HTTPS and on localhost only. */
const publicUrl = z.string().refine((value) => {
  const url = URL.parse(value)
  const isOrigin = url !== null && (value === url.origin || value === `${url.origin}/`)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === 'localhost')
  return isOrigin && isSecure && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
}, 'must be the address of the portal without a path, such as https://inkling.example')

/** Areas of other routes; collections have their own. */
const RESERVED = /^\/(api|v6\.0|assets|autoscale|docs|features|healthz|hirefire|ops|readyz|schemas|sdk)(\/|$)/

const collectionPath = z
  .string()
  .regex(/^(\/[\w-]+){1,4}$/, 'must be a path such as /c or /forms/c')
  .refine((path) => !RESERVED.test(path), 'must not begin as another route does')

/** Networks of proxies; `private` stands for all private ones, where the routers of a platform have no fixed addresses. */
const trustedProxies = z
  .string()
  .transform((value) => value.replaceAll(/(?<=^|,)\s*private\s*(?=,|$)/gi, () => PRIVATE_NETWORKS.join(',')))
  .pipe(networkList)

/** A header that has one address, or the list of addresses of `x-forwarded-for`. */
const addressHeader = z
  .string()
  .toLowerCase()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a header, such as x-real-ip or x-forwarded-for')
  .refine((name) => name !== 'forwarded', 'must not be forwarded, whose format (RFC 7239) is not supported')

/** Largest body of an upload, unless MAX_BODY_BYTES is set. */
export const DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024

const variables = {
  ...processVariables,
  ...tracingVariables,
  ...limitVariables,
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  PORT: integer({ from: 0, to: 65_535, default: 3_000 }),
  WEB_CONCURRENCY: integer({ from: 1, to: 200, default: 1 }), // the most that Heroku sets
  TOKEN_TTL_MINUTES: integer({ from: 1, to: MAX_TOKEN_MINUTES, default: 60 }),
  MAX_BODY_BYTES: integer({ from: 1_024, to: 256 * 1024 * 1024, default: DEFAULT_MAX_BODY_BYTES }),
  INSIGHT_WAIT_MS: integer({ from: 0, to: 120_000, default: 10_000 }),
  COLLECTION_PATH: collectionPath.default('/c'),
  PUBLIC_URL: publicUrl.optional(),
  TRUSTED_PROXIES: trustedProxies.default([]),
  CLIENT_ADDRESS_HEADER: addressHeader.default(DEFAULT_ADDRESS_HEADER),
  OPS_PASSWORD: opsPassword.optional(),
  AUTOSCALE_TOKEN: autoscaleToken.optional(),
}

/** Where OpenID providers may be besides the Internet; undefined, outside of production, is everywhere. */
export const ssoVariables = (env: NodeJS.ProcessEnv) => ({
  SSO_PRIVATE_NETWORKS: env.NODE_ENV === 'production' ? networkList.default([]) : networkList.optional(),
})

/** Schema of the web process's environment. In production the operator has to supply the keys that sign and those that encrypt. */
export const webEnv = (env: NodeJS.ProcessEnv) =>
  z.object({
    ...variables,
    TOKEN_SIGNING_KEYS: env.NODE_ENV === 'production' ? signingKeys : signingKeys.optional(),
    ...ssoVariables(env),
    ...webhookVariables(env),
    ...encryptionVariables(env),
    ...captureStoreVariables(env),
  })

export type WebEnv = z.output<ReturnType<typeof webEnv>>
