import type { IncomingHttpHeaders } from 'node:http'
import { type ApiKey, findApiKey, KEY_PREFIX } from '../../db/accounts/api-keys.ts'
import { findSessions, type SessionKey, type SessionUser } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openNetworks } from '../../db/runtime/networks.ts'
import { openBatches } from '../batches.ts'
import { findCookie } from '../http/cookies.ts'
import { requirePortal } from '../http/csrf-guard.ts'
import { DeniedProblem } from '../http/denied-problem.ts'
import type { Credential, KeyCaller, LoginCaller, PageCredential } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { type CachedLookup, cacheLookups } from './credential-cache.ts'
import { TOKEN_COOKIE } from './session-cookies.ts'
import type { Tokens } from './tokens.ts'

/** Maximum number of sessions looked up by one statement. */
const MAX_BATCH = 64

/**
 * Identifies the caller by the `Authorization` header; undefined for endpoints without authentication. Returns a promise only
 * when the database has to be queried.
 *
 * Without that header, the portal's cookie replaces a login token, on endpoints that accept one and only in requests of the
 * portal's own pages.
 *
 * @param address address of the client, which a key may have to be used from.
 * @throws Problem `unauthenticated`, `subscription_suspended`, `network_not_allowed` or `forbidden`.
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  credential: Exclude<Credential, PageCredential>,
  address?: string,
) => Caller | undefined | Promise<Caller>

type Caller = KeyCaller | LoginCaller

/** A session and the expiry of the token that refers to it. */
type TokenSession = SessionUser & { readonly tokenExpiresAt: Date }

/** A key, and whether it may be used from an address. */
type KeyWithNetworks = ApiKey & { readonly allows: (address: string | undefined) => boolean }

/** Opens authentication by API keys and login tokens; caches results for 3 s. */
export function openAuthentication(db: Db, tokens: Tokens): Authenticate {
  const keys = cacheLookups<KeyWithNetworks>(async (key) => {
    const found = await findApiKey(db, key)
    return found && { ...found, allows: found.networks ? openNetworks(found.networks) : () => true }
  })
  const lookups = openBatches({
    maxItems: MAX_BATCH,
    work: (keys: readonly SessionKey[]) => findSessions(db, keys),
  })
  const sessions = cacheLookups<TokenSession>(async (token) => {
    const claims = await tokens.verify(token)
    const found = claims && (await lookups.add(claims))
    return found && { ...found, tokenExpiresAt: claims.expiresAt }
  })

  function callerByKey(
    found: KeyWithNetworks | undefined,
    credential: Credential,
    address: string | undefined,
  ): KeyCaller {
    if (!found?.live) throw new Problem('unauthenticated')
    if (found.suspended) throw new Problem('subscription_suspended')
    const { id: keyId, subscriptionId, label, isTest } = found
    const caller: KeyCaller = { kind: 'key', subscriptionId, keyId, label, isTest }
    if (!found.allows(address)) throw new DeniedProblem('network_not_allowed', caller)
    if (!('scope' in credential)) throw new DeniedProblem('forbidden', caller)
    const { scope } = credential
    if (!found.scopes.includes(scope))
      throw new DeniedProblem('forbidden', caller, `The API key does not have the scope ${scope}`)
    return caller
  }

  function callerByLogin(found: TokenSession | undefined, credential: Credential): LoginCaller {
    if (!found?.live) throw new Problem('unauthenticated')
    if (found.suspended) throw new Problem('subscription_suspended')
    const { subscriptionId, userId, sessionId, role, email, tokenExpiresAt } = found
    const caller: LoginCaller = {
      kind: 'login',
      subscriptionId,
      userId,
      sessionId,
      role,
      email,
      tokenExpiresAt,
    }
    if (!('roles' in credential) || !credential.roles.includes(role))
      throw new DeniedProblem('forbidden', caller)
    return caller
  }

  return (headers, credential, address) => {
    if (credential.kind === 'none') return undefined
    const { authorization } = headers
    const cookie = credential.kind === 'key' ? undefined : findCookie(headers, TOKEN_COOKIE)
    if (authorization === undefined && cookie !== undefined) {
      requirePortal(headers)
      return afterLookup(sessions, cookie, (found) => callerByLogin(found, credential))
    }
    const presented = /^Bearer +([\w.~+/=-]{1,8000}) *$/i.exec(authorization ?? '')?.[1]
    const kind = presented?.startsWith(KEY_PREFIX) ? 'key' : 'login'
    if (!presented) throw new Problem('unauthenticated')
    // the wrong kind of credential is unauthenticated (401), not a missing role (403)
    if (credential.kind !== kind && credential.kind !== 'either') throw wrongKind(credential.kind, presented)
    return kind === 'key'
      ? afterLookup(keys, presented, (found) => callerByKey(found, credential, address))
      : afterLookup(sessions, presented, (found) => callerByLogin(found, credential))
  }
}

/** Shape of a JWT, the format of login tokens. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Names the required kind of credential; does not reveal whether the presented one is valid. */
function wrongKind(wanted: 'key' | 'login', presented: string): Problem {
  if (wanted === 'login')
    return new Problem('unauthenticated', { detail: 'This route requires a login token, not an API key' })
  return TOKEN.test(presented)
    ? new Problem('unauthenticated', { detail: 'This route requires an API key, not a login token' })
    : new Problem('unauthenticated')
}

/** Maps what a lookup finds: synchronously if it is cached. */
function afterLookup<Found, Result>(
  lookUp: CachedLookup<Found>,
  presented: string,
  map: (found: Found | undefined) => Result,
): Result | Promise<Result> {
  const found = lookUp(presented)
  return found instanceof Promise ? found.then(map) : map(found)
}
