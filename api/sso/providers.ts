import { LRUCache } from 'lru-cache'
import type { Configuration } from 'openid-client'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { isPermittedUrl, type Reach } from '../../db/runtime/reach.ts'
import { findClientSecret, type SsoConnection } from '../../db/sign-in/sso-connections.ts'
import { type ConcurrencyLimit, openConcurrencyLimit } from '../account/concurrency-limit.ts'
import { Problem } from '../http/problem.ts'
import { openFetchProvider, ProviderUnavailable } from './fetch-provider.ts'
import { type Claims, claimAt } from './read-claims.ts'

/** An answer or a token of a provider that is not valid. The message is for its admin. */
export class ProviderInvalid extends Error {
  override name = 'ProviderInvalid'
}

/** Difference between the clocks of this service and a provider. */
const CLOCK_TOLERANCE_SECONDS = 60

/** How long metadata and secret of a provider are used, and how long a provider that failed is not asked again. */
const CACHE_MS = 10 * 60_000
const FAILED_MS = 10_000
const MAX_PROVIDERS = 1_000

/** What a sign-in is checked against; all random. */
export interface Expected {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  /** Whether the person has to prove now who they are. */
  readonly isStepUp: boolean
}

/** A completed sign-in at a provider. */
export interface SignedInAtProvider {
  readonly subject: string
  readonly claims: Claims
  readonly idToken: string
}

/** An OpenID provider, with the client id and secret of a connection. @throws ProviderUnavailable, ProviderInvalid */
export interface Provider {
  /** Where the browser signs in. */
  signInUrl(expected: Expected): Promise<string>
  /** Exchanges the code in the address to which the provider sent the browser. */
  complete(callback: URL, expected: Expected): Promise<SignedInAtProvider>
  /** Where the browser signs out; undefined if the provider has no such page. */
  signOutUrl(options: { idToken: string | undefined; returnTo: string }): string | undefined
}

/** What metadata can be read for. */
interface Client {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Providers {
  /** Returns the provider of a connection; cached for 10 minutes, or until the connection changes. */
  find(connection: SsoConnection): Promise<Provider>
  /** Reads the metadata of an issuer. @returns the issuer exactly as the provider writes it. */
  checkIssuer(issuer: string): Promise<string>
}

export function openProviders(
  { db, vault }: { readonly db: Db; readonly vault: Vault },
  reach: Reach,
): Providers {
  const cache = new LRUCache<string, Promise<Provider>>({ max: MAX_PROVIDERS })
  const connect = (client: Client) => connectTo(client, reach)

  return {
    find(connection) {
      const key = `${connection.id} ${connection.configuredAt}`
      const cached = cache.get(key)
      if (cached) return cached
      const opening = findClientSecret({ db, vault }, connection).then(async (clientSecret) => {
        const { issuer, clientId } = connection
        const config = await connect({ issuer, clientId, clientSecret })
        return openProvider(await loadOpenid(), config, connection, reach)
      })
      cache.set(key, opening, { ttl: CACHE_MS })
      opening.catch(() => {
        if (cache.peek(key) === opening) cache.set(key, opening, { ttl: FAILED_MS })
      })
      return opening
    },
    async checkIssuer(issuer) {
      const { issuer: written } = (
        await connect({ issuer, clientId: '-', clientSecret: '-' })
      ).serverMetadata()
      return written
    },
  }
}

/** Loads the client of providers with the first of them: most processes have none. */
const loadOpenid = () => import('openid-client')

type Openid = Awaited<ReturnType<typeof loadOpenid>>

async function connectTo({ issuer, clientId, clientSecret }: Client, reach: Reach): Promise<Configuration> {
  if (!isPermittedUrl(issuer, reach)) throw new ProviderUnavailable(`${issuer} is not an HTTPS address`)
  const openid = await loadOpenid()
  const options = {
    [openid.customFetch]: openFetchProvider(reach),
    execute: [
      openid.enableNonRepudiationChecks, // also checks the signature of a token that came over TLS
      ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
    ],
  }
  const metadata = { client_secret: clientSecret, [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const authenticate: typeof openid.ClientSecretBasic =
    (secret) =>
    (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false
        ? openid.ClientSecretPost
        : openid.ClientSecretBasic)(secret)(server, ...rest)
  const config = await explained(() =>
    openid.discovery(new URL(issuer), clientId, metadata, authenticate(clientSecret), options),
  )
  const server = config.serverMetadata()
  // exactly: openid-client accepts other issuers of some providers, which any of their tenants can write
  if (new URL(server.issuer).href !== new URL(issuer).href)
    throw new ProviderInvalid(`The provider calls itself ${server.issuer}`)
  for (const name of ['authorization_endpoint', 'end_session_endpoint'] as const) {
    const address = server[name]
    if (address === undefined && name === 'end_session_endpoint') continue
    if (typeof address !== 'string' || !isPermittedUrl(address, reach))
      throw new ProviderInvalid(`${name} of the provider is not an HTTPS address`)
  }
  return config
}

function openProvider(
  openid: Openid,
  config: Configuration,
  connection: SsoConnection,
  reach: Reach,
): Provider {
  // of each connection by itself: a slow provider takes nothing from others
  const limitConcurrency: ConcurrencyLimit = openConcurrencyLimit()
  const { roleClaim } = connection
  const server = config.serverMetadata()

  /** Adds the claims of the userinfo endpoint where the token lacks one that is needed. */
  async function completeClaims(claims: Claims, accessToken: string, subject: string): Promise<Claims> {
    const isComplete =
      claims.email !== undefined && (roleClaim === null || claimAt(claims, roleClaim) !== undefined)
    if (isComplete || server.userinfo_endpoint === undefined) return claims
    const info: Claims = await openid.fetchUserInfo(config, accessToken, subject)
    // an e-mail and whether it is verified come from the same place
    const { email, email_verified } = claims.email === undefined ? info : claims
    return { ...info, ...claims, email, email_verified }
  }

  return {
    async signInUrl({ state, nonce, codeVerifier, redirectUri, isStepUp }) {
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: ['openid', 'email', ...connection.scopes].join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(isStepUp && { prompt: 'login', max_age: '0' }),
      })
      return url.href
    },
    complete: (callback, { state, nonce, codeVerifier, isStepUp }) =>
      limitConcurrency(() =>
        explained(async () => {
          const tokens = await openid.authorizationCodeGrant(config, callback, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
            ...(isStepUp && { maxAge: 0 }),
          })
          const claims = tokens.claims()
          if (!claims || tokens.id_token === undefined) throw new ProviderInvalid('There is no ID token')
          const { sub: subject, azp } = claims
          if (azp !== undefined && azp !== connection.clientId)
            throw new ProviderInvalid('The token is for another client')
          if (subject.length > 255) throw new ProviderInvalid('The subject has more than 255 characters')
          return {
            subject,
            claims: await completeClaims(claims, tokens.access_token, subject),
            idToken: tokens.id_token,
          }
        }),
      ),
    signOutUrl({ idToken, returnTo }) {
      if (server.end_session_endpoint === undefined || !isPermittedUrl(server.end_session_endpoint, reach))
        return undefined
      return openid.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href
    },
  }
}

/** Settles as the work does, with one of two errors for whatever is wrong with the provider. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem || error instanceof ProviderInvalid) throw error
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof ProviderUnavailable) throw cause
    throw new ProviderInvalid(describe(error), { cause: error })
  }
}

/** What is wrong, without what the provider wrote: a token, or a text of anybody. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`.slice(0, 300)
}
