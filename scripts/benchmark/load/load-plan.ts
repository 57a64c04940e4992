/** The requests; request n is determined by the plan. */
export type Requests =
  | {
      readonly kind: 'uploads'
      /** A file of upload bodies, one per line, without reference numbers; see read-upload-bodies.ts. */
      readonly file: string
      readonly key: string
      /** Prefix of the reference numbers. */
      readonly prefix: string
      /** An access token: each upload is followed by a read of its insight, and timed until the insight is returned. */
      readonly thenReadBy?: string | undefined
      /** Reference numbers in no order, by `scatteredReference`. */
      readonly scattered?: boolean
    }
  | {
      readonly kind: 'reads'
      readonly prefix: string
      /** Number of datasets uploaded with this prefix, which are read in a cycle. */
      readonly count: number
      /** Used in a cycle. */
      readonly tokens: readonly string[]
    }
  | {
      readonly kind: 'segments'
      /** Public ids of open collections, which get a segment each in a cycle. */
      readonly collections: readonly string[]
    }
  | {
      readonly kind: 'get'
      /** Requested in a cycle. */
      readonly paths: readonly string[]
      readonly tokens: readonly string[]
    }

/** The schedule of requests. */
export type Pace =
  /** Closed loop: each connection sends its next request after a response, until the time or the count is reached. */
  | {
      readonly kind: 'closed'
      readonly connections: number
      readonly ms?: number | undefined
      readonly count?: number | undefined
      /** Pause between a response and the next request. */
      readonly pauseMs?: number | undefined
    }
  /**
   * Open loop: requests arrive randomly at this rate, whether or not earlier ones are answered. Latencies count from the
   * arrival. A request that finds no free connection is not sent: a real client does not queue indefinitely either.
   */
  | { readonly kind: 'open'; readonly perSecond: number; readonly ms: number; readonly connections: number }

export interface LoadPlan {
  readonly port: number
  readonly requests: Requests
  readonly pace: Pace
}

export interface LoadResult {
  /** Responses with status 200. */
  readonly ok: number
  /** Responses with status 503: the server sheds load. */
  readonly shed: number
  /** Other responses by status, and broken connections. */
  readonly failed: Readonly<Record<string, number>>
  /** Requests that arrived while no connection was free. */
  readonly unsent: number
  /** Requests without a response within 10 s after the end. */
  readonly unanswered: number
  /** Time from the first request to the last response. */
  readonly ms: number
  /** Latencies of responses with status 200, and the waiting times of `unanswered` requests at the end. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Processor time of the generator itself, in cores. */
  readonly ownCores: number
}

export type ToLoad = { readonly id: number; readonly plans: readonly LoadPlan[] }

export type FromLoad = {
  readonly id: number
  readonly results?: readonly LoadResult[]
  readonly error?: string
}

/** Returns the reference number of upload n. */
export const referenceOf = (prefix: string, n: number): string => `${prefix}-${String(n).padStart(8, '0')}`

/** As `referenceOf`, but in no order, as clients choose them: each index entry goes to another page. */
export const scatteredReference = (prefix: string, n: number): string =>
  `${(Math.imul(n, 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}-${prefix}`
