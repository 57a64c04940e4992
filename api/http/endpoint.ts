import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { KeyScope } from '../../db/accounts/key-scopes.ts'
import type { UserRole } from '../../db/accounts/users.ts'
import type { Actor } from '../../db/audit/actor.ts'
import type { KnownCollection } from '../../db/collections/collections.ts'
import type { SiteKey } from '../../db/collections/find-site-key.ts'
import type { Admission } from './admission.ts'
import type { Cookie } from './cookies.ts'
import type { Deprecation } from './deprecation.ts'
import type { ProblemCode } from './problem.ts'
import type { BrowserBody } from './read-browser-body.ts'

/** Tags of operations and their descriptions, in the order of the documentation. */
export const TAGS = {
  'Getting started': 'Upload a dataset, attach Additional Info to it, and read its insight',
  Datasets: 'Search, export, show, reprocess and delete datasets',
  Collections:
    'Collect captures in browsers: open a collection, append segments, complete, claim and withdraw it',
  Insights: 'Explain the scores of a dataset',
  Events: 'Read what happens to datasets and scorecards, as a feed that can be resumed',
  Webhooks:
    'Create, change, test and delete webhooks, which receive events; see their log, deliver events again',
  Scorecards: 'Scorecards and fragments of the subscription: versions, trials, stages, stability',
  'API keys': 'Create, list and revoke the API keys of the subscription',
  'Site keys': 'Create, list, change, rotate and revoke the public keys with which pages open collections',
  Users: 'Invite users, change their role, disable, enable and delete them',
  'Single sign-on': 'Set up the OpenID provider by which users of the subscription sign in',
  Policy: 'Rules that the subscription sets for its users: second factors, four eyes',
  Privacy: 'Rights of persons: find, export and erase what is stored of them; retention',
  Audit: 'Changes that users and operators made',
  Pipeline: 'Throughput, latency, backlog and quarantine of the subscription',
  'Test mode': 'Make up captures, to build an integration without a phone',
  Reference: 'Capture formats and features',
  Health: 'Probes for load balancers and alerts',
  Account: 'Sessions, tokens and passwords of users',
} as const

export type Tag = keyof typeof TAGS

/** Methods of endpoints; each `get` also serves HEAD. */
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Required credential: none, an API key with a scope, a login token with one of the roles, or either; of a page, a site key in the
 * query parameter `k` or a collection in `c`.
 *
 * Pages of any origin may call the endpoints of the last two kinds (CORS), without a preflight: they read JSON of any content type
 * that a page can send without one.
 */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly scope: KeyScope }
  | { readonly kind: 'login'; readonly roles: readonly UserRole[] }
  | { readonly kind: 'either'; readonly scope: KeyScope; readonly roles: readonly UserRole[] }
  | { readonly kind: 'siteKey' }
  | { readonly kind: 'collection' }

/** The credentials of pages. */
export type PageCredential = Extract<Credential, { readonly kind: 'siteKey' | 'collection' }>

/**
 * What an endpoint requires besides a login token: a sign-in or step-up within 10 minutes and, where the policy of the subscription
 * requires one of this user, a second factor. `without_factor` is for the endpoints that add one.
 */
export type StepUp = 'with_factor' | 'without_factor'

/**
 * Effect of a repeated request. `safe`: it reads, which may be recorded. `idempotent`: it has no further effect. `not_idempotent`: it
 * has an effect of its own.
 *
 * @see RFC 9110, section 9.2
 */
export type Idempotency = 'safe' | 'idempotent' | 'not_idempotent'

/** A caller by API key. */
export interface KeyCaller {
  readonly kind: 'key'
  readonly subscriptionId: number
  readonly keyId: number
  readonly label: string | null
  /** Whether it is a test key, of the test mode that `subscriptionId` is. */
  readonly isTest: boolean
}

/** A caller by login token. */
export interface LoginCaller {
  readonly kind: 'login'
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
  readonly role: UserRole
  readonly email: string
  /** Expiry of the token. */
  readonly tokenExpiresAt: Date
}

/** A page that presents a site key, from an origin that the key allows. */
export interface SiteKeyCaller {
  readonly kind: 'siteKey'
  readonly subscriptionId: number
  readonly siteKey: SiteKey
  readonly origin: string
}

/** A page that names a collection. */
export interface CollectionCaller {
  readonly kind: 'collection'
  readonly subscriptionId: number
  readonly collection: KnownCollection
}

export type Caller = KeyCaller | LoginCaller | SiteKeyCaller | CollectionCaller

/** Type of the caller with a credential. */
export type CallerOf<C extends Credential> = C['kind'] extends 'key'
  ? KeyCaller
  : C['kind'] extends 'login'
    ? LoginCaller
    : C['kind'] extends 'either'
      ? KeyCaller | LoginCaller
      : C['kind'] extends 'siteKey'
        ? SiteKeyCaller
        : C['kind'] extends 'collection'
          ? CollectionCaller
          : undefined

/** Type of the actor of a credential: records keep callers by key and by login. */
type ActorOf<C extends Credential> = C['kind'] extends 'key' | 'login' | 'either' ? Actor : undefined

/** A response that is serialised JSON already. With an entity tag, of a conditional endpoint, a client that has it gets 304. */
export class JsonText {
  readonly text: string
  readonly etag: string | undefined
  constructor(text: string, etag?: string) {
    this.text = text
    this.etag = etag
  }
}

/** A streamed response; destroyed when the client disconnects. */
export class Stream {
  readonly body: Readable
  readonly headers: Readonly<Record<string, string>>
  constructor(body: Readable, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
    body.on('error', () => undefined) // the broken connection reports the error; without a listener it would crash the process
  }
}

/** A redirect of a browser, by status 303. */
export class Redirect {
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}

/** Cookies of a request and its response. */
export interface Cookies {
  /** @throws Problem `forbidden` unless the portal's own page sent the request; otherwise cookies are not trusted. */
  requirePortal(): void
  find(name: string): string | undefined
  /** Sets a cookie in the response, also in an error response. */
  set(cookie: Cookie): void
}

/** Validated input of an endpoint. */
export interface Call<C extends Credential, Body, Query> {
  readonly caller: CallerOf<C>
  /** The caller as records keep it. */
  readonly actor: ActorOf<C>
  /** Percent-decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  /** The JSON as received, of an endpoint whose body is not parsed; otherwise empty. */
  readonly bytes: Buffer
  /** The body as received, of an endpoint for pages. */
  readonly received: BrowserBody | undefined
  readonly query: Query
  /** Address of the caller. */
  readonly address: string | undefined
  /** Address forwarded by a trusted proxy. */
  readonly forwardedAddress: string | undefined
  readonly userAgent: string | undefined
  /** Id of the request, which problems name as `traceId`. */
  readonly requestId: string
  /** A header by its name in lower case; the first of several. */
  header(name: string): string | undefined
  /** Cookies, for the endpoints that start, refresh and end a browser session. */
  readonly cookies: Cookies
  /** Languages in the order of `Accept-Language`; `*` is any. */
  languages(): readonly string[]
}

/**
 * Declaration of a route: input, credential, response and action. The same declaration is the source of request validation,
 * the authorisation table and the OpenAPI document.
 */
export interface Endpoint<
  C extends Credential = Credential,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  Q extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly method: (typeof METHODS)[number]
  /** For example `/a/:name`. */
  readonly path: string
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** By default, that of GET, PUT and DELETE in RFC 9110; POST and PATCH must declare it. */
  readonly idempotency?: Idempotency
  /** Announces that the endpoint will be removed. */
  readonly deprecated?: Deprecation
  readonly credential: C
  /** Requires a recent sign-in or step-up of callers by login. */
  readonly stepUp?: StepUp
  /** Describes the path parameters; `act` validates them. */
  readonly params?: Readonly<Record<string, z.ZodType>>
  readonly body?: B
  /** Parses the JSON of the body for the schema, or throws Problem `malformed_json`; by default `parseJson`. Not for credentials of pages. */
  readonly parseJson?: (bytes: Buffer) => unknown
  /** The schema of the body only describes it: `act` gets its bytes, and `body` is undefined. */
  readonly isUnparsed?: true
  readonly query?: Q
  /** Problem of a body that is malformed or fails its schema, instead of `malformed_json` and `validation_failed`. */
  readonly invalidBody?: ProblemCode
  /** Limit on the wire, where it is lower than the service's general one. */
  readonly maxBodyBytes?: number
  /** Time that it may wait intentionally, in addition to the request timeout. */
  readonly waitMs?: number
  /** The success response; no schema means no body, no type means JSON. With status 303, `act` returns a `Redirect`. */
  readonly response: {
    readonly status: 200 | 204 | 303
    readonly description: string
    readonly type?: 'text/csv' | 'application/gzip'
    readonly schema?: z.ZodType
    /** Overrides the example built from the schema's members. */
    readonly example?: unknown
    /** Additional headers. */
    readonly headers?: Readonly<Record<string, z.ZodType>>
  }
  /** Problems in addition to those of its credential and body. */
  readonly problems: readonly ProblemCode[]
  /** Overrides the status of problems, where the interface document requires it. */
  readonly statuses?: Partial<Record<ProblemCode, number>>
  /** Sends an `ETag` and honours `If-None-Match`: `act` returns a `JsonText` with an entity tag. */
  readonly isConditional?: true
  /** Stores datasets: its responses have the limits of datasets and bytes. */
  readonly isStoring?: true
  /** Rejects requests before their body is read while too many are in progress. */
  readonly admission?: Admission
  act(
    call: Call<
      C,
      B extends z.ZodType ? z.output<B> : undefined,
      Q extends z.ZodType ? z.output<Q> : undefined
    >,
  ): Promise<unknown>
}

/** Declares an endpoint; infers the types of `act` from the declaration. */
export function endpoint<
  const C extends Credential,
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
>(declared: Endpoint<C, B, Q>): Endpoint {
  // act is called only with the output of the declared schemas, which the general type cannot express
  return declared as unknown as Endpoint
}
