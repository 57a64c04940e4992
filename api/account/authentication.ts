import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import { type ApiKey, findApiKey, KEY_PREFIX } from '../../db/accounts/api-keys.ts'
import { findSessions, type SessionKey, type SessionUser } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openBatches } from '../batches.ts'
import { findCookie } from '../http/cookies.ts'
import { requirePortal } from '../http/csrf-guard.ts'
import type { Credential, KeyCaller, LoginCaller } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { TOKEN_COOKIE } from './session-cookies.ts'
import type { Tokens } from './tokens.ts'

/** How long what the database said of a credential is believed: revoking works everywhere within this. */
const CACHE_MS = 3_000

const MAX_CACHED = 10_000

/** Sessions looked up by one statement at most. */
const MAX_BATCH = 64

/**
 * Who calls, by the `Authorization` header; undefined where the credential asked for is none. A promise only where the
 * database has to be asked.
 *
 * Without that header, the cookie of the portal stands for a login token, wherever one will do and in requests of the portal's
 * own pages only.
 *
 * @throws Problem `unauthenticated`, `subscription_suspended` or `forbidden`.
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  credential: Credential,
) => Caller | undefined | Promise<Caller>

type Caller = KeyCaller | LoginCaller

type CachedKey = { readonly found: ApiKey | undefined }
/** A session, and when the token ends that names it. */
type CachedSession = {
  readonly found: (SessionUser & { readonly tokenExpiresAt: Date }) | undefined
}

/** Opens authentication by API keys and login tokens; keeps what it learns for 3 s. */
export function openAuthentication(db: Db, tokens: Tokens): Authenticate {
  const keys = new LRUCache<string, CachedKey>({
    max: MAX_CACHED,
    ttl: CACHE_MS,
    fetchMethod: async (key) => ({ found: await findApiKey(db, key) }),
  })
  const lookUps = openBatches({
    maxItems: MAX_BATCH,
    work: (keys: readonly SessionKey[]) => findSessions(db, keys),
  })
  const sessions = new LRUCache<string, CachedSession>({
    max: MAX_CACHED,
    ttl: CACHE_MS,
    fetchMethod: async (token) => {
      const claims = await tokens.verify(token)
      const found = claims && (await lookUps.add(claims))
      return { found: found && { ...found, tokenExpiresAt: claims.expiresAt } }
    },
  })

  function callerByKey({ found }: CachedKey, credential: Credential): KeyCaller {
    if (!found?.live) throw new Problem('unauthenticated')
    if (found.suspended) throw new Problem('subscription_suspended')
    if (!('role' in credential) || credential.role !== found.role) throw new Problem('forbidden')
    return { kind: 'key', subscriptionId: found.subscriptionId, keyId: found.id, label: found.label }
  }

  function callerByLogin({ found }: CachedSession, credential: Credential): LoginCaller {
    if (!found?.live) throw new Problem('unauthenticated')
    if (found.suspended) throw new Problem('subscription_suspended')
    if (!('roles' in credential) || !credential.roles.includes(found.role)) throw new Problem('forbidden')
    const { subscriptionId, userId, sessionId, role, email, tokenExpiresAt } = found
    return { kind: 'login', subscriptionId, userId, sessionId, role, email, tokenExpiresAt }
  }

  return (headers, credential) => {
    if (credential.kind === 'none') return undefined
    const { authorization } = headers
    const cookie = credential.kind === 'key' ? undefined : findCookie(headers, TOKEN_COOKIE)
    if (authorization === undefined && cookie !== undefined) {
      requirePortal(headers)
      return cached(sessions, cookie, (known) => callerByLogin(known, credential))
    }
    const presented = /^Bearer +([\w.~+/=-]{1,8000}) *$/i.exec(authorization ?? '')?.[1]
    const kind = presented?.startsWith(KEY_PREFIX) ? 'key' : 'login'
    if (!presented) throw new Problem('unauthenticated')
    // a login token is no API key, and the other way round: not a matter of roles
    if (credential.kind !== kind && credential.kind !== 'either') throw wrongKind(credential.kind, presented)
    return kind === 'key'
      ? cached(keys, presented, (known) => callerByKey(known, credential))
      : cached(sessions, presented, (known) => callerByLogin(known, credential))
  }
}

/** A JWT, as login tokens are. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Names the kind of credential that a route takes to a caller who sends the other one; whether that one is valid stays unknown. */
function wrongKind(wanted: 'key' | 'login', presented: string): Problem {
  if (wanted === 'login')
    return new Problem('unauthenticated', { detail: 'This route takes a login token, not an API key' })
  return TOKEN.test(presented)
    ? new Problem('unauthenticated', { detail: 'This route takes an API key, not a login token' })
    : new Problem('unauthenticated')
}

/** What is made of the value that is kept, now, or once it is fetched. */
function cached<Kept extends object, Made>(
  cache: LRUCache<string, Kept>,
  name: string,
  make: (kept: Kept) => Made,
): Made | Promise<Made> {
  const kept = cache.get(name)
  return kept ? make(kept) : cache.forceFetch(name).then(make)
}
