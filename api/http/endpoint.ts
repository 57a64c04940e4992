import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { KeyRole } from '../../db/accounts/api-keys.ts'
import type { UserRole } from '../../db/accounts/users.ts'
import type { Admission } from './admission.ts'
import type { Cookie } from './cookies.ts'
import type { ProblemCode } from './problem.ts'

/** The groups of operations, in the order in which people read about them. */
export const TAGS = {
  'Getting started': 'Upload a dataset, attach Additional Info to it, and read its insight',
  Datasets: 'Search, export, show, process again and delete datasets',
  Insights: 'Explain the scores of a dataset',
  Scorecards: 'Scorecards and fragments of the subscription: versions, trials, stages, stability',
  'API keys': 'Create, list and revoke the API keys of the subscription',
  Users: 'Invite users, change their role, disable and enable them',
  Audit: 'Changes that users and operators made',
  Pipeline: 'Throughput, latency, backlog and quarantine of the subscription',
  Reference: 'Formats and features: what this service reads and computes',
  Health: 'Probes for load balancers and alerts',
  Account: 'Sessions, tokens and passwords of users',
} as const

export type Tag = keyof typeof TAGS

/** Who may call: nobody is asked, an API key of a role, a login token of one of the roles, or either of these. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly role: KeyRole }
  | { readonly kind: 'login'; readonly roles: readonly UserRole[] }
  | { readonly kind: 'either'; readonly role: KeyRole; readonly roles: readonly UserRole[] }

/** A caller by API key. */
export interface KeyCaller {
  readonly kind: 'key'
  readonly subscriptionId: number
  readonly keyId: number
  readonly label: string | null
}

/** As records name a key: by its label if it has one. */
export const nameOfKey = ({ keyId, label }: KeyCaller): string => label ?? `API key ${keyId}`

/** A caller by login token. */
export interface LoginCaller {
  readonly kind: 'login'
  readonly subscriptionId: number
  readonly userId: number
  readonly sessionId: string
  readonly role: UserRole
  readonly email: string
  /** When the token ends by which this call came. */
  readonly tokenExpiresAt: Date
}

/** As records name a caller. */
export const nameOfCaller = (caller: KeyCaller | LoginCaller): string =>
  caller.kind === 'key' ? nameOfKey(caller) : caller.email

/** The caller that a credential lets in. */
export type CallerOf<C extends Credential> = C['kind'] extends 'key'
  ? KeyCaller
  : C['kind'] extends 'login'
    ? LoginCaller
    : C['kind'] extends 'either'
      ? KeyCaller | LoginCaller
      : undefined

/** An answer that is JSON text already. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is sent while it is made; it is destroyed when the client leaves. */
export class Stream {
  readonly body: Readable
  readonly headers: Readonly<Record<string, string>>
  constructor(body: Readable, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
    body.on('error', () => undefined) // told by the broken answer, also where nobody has begun to read
  }
}

/** Cookies of a call and its answer. */
export interface Cookies {
  /** @throws Problem `forbidden` unless the portal's own page sends the call: nobody's cookies count otherwise. */
  requirePortal(): void
  find(name: string): string | undefined
  /** Sends it with the answer, whether all goes well or not. */
  set(cookie: Cookie): void
}

/** What an endpoint acts on: all of it checked. */
export interface Call<C extends Credential, Body, Query> {
  readonly caller: CallerOf<C>
  /** Percent-decoded values of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  readonly query: Query
  /** The caller's address. */
  readonly address: string | undefined
  /** The address that a trusted proxy says it acts for. */
  readonly forwardedAddress: string | undefined
  /** As the client names itself. */
  readonly userAgent: string | undefined
  /** The cookies of the session, for the endpoints by which it begins, goes on and ends. */
  readonly cookies: Cookies
  /** As `Accept-Language` prefers them; `*` is any. */
  languages(): readonly string[]
}

/**
 * One route, declared: what it takes, whom it lets in, what it answers, and what it does. Requests are checked,
 * authorisation is tabled and OpenAPI is written from the same declaration.
 */
export interface Endpoint<
  C extends Credential = Credential,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  Q extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As in `/a/:name`. */
  readonly path: string
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly credential: C
  /** Describes the values of the path; `act` checks them. */
  readonly params?: Readonly<Record<string, z.ZodType>>
  readonly body?: B
  readonly query?: Q
  /** On the wire, where less than the service accepts in general will do. */
  readonly maxBodyBytes?: number
  /** How long it may wait on purpose, beyond what an answer takes. */
  readonly waitMs?: number
  /** The answer when all went well; no schema means no body, no type means JSON. */
  readonly response: {
    readonly status: 200 | 204
    readonly description: string
    readonly type?: 'text/csv'
    readonly schema?: z.ZodType
    /** Where the examples of the schema's members do not make a good one. */
    readonly example?: unknown
    /** Headers of its own. */
    readonly headers?: Readonly<Record<string, z.ZodType>>
  }
  /** Problems of its own, beside those that its credential and body bring. */
  readonly problems: readonly ProblemCode[]
  /** Where the interface wants another status for a problem than its usual one. */
  readonly statuses?: Partial<Record<ProblemCode, number>>
  /** ShortestFirst calls away before their body is read, while too many are being served. */
  readonly admission?: Admission
  act(
    call: Call<
      C,
      B extends z.ZodType ? z.output<B> : undefined,
      Q extends z.ZodType ? z.output<Q> : undefined
    >,
  ): Promise<unknown>
}

/** Declares an endpoint, so that `act` is typed by what is declared. */
export function endpoint<
  const C extends Credential,
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
>(declared: Endpoint<C, B, Q>): Endpoint {
  // act is only ever called with what the declared schemas gave, which the general type cannot express.
  return declared as unknown as Endpoint
}
