/** What is sent; request n is the same for everyone who knows the plan. */
export type Requests =
  | {
      readonly kind: 'uploads'
      /** A file of upload bodies, one a line, without reference numbers; see read-upload-bodies.ts. */
      readonly file: string
      readonly key: string
      /** Of the reference numbers. */
      readonly prefix: string
      /** A login token: each upload is followed by a read of its insight, and timed until that is answered. */
      readonly thenReadBy?: string | undefined
    }
  | {
      readonly kind: 'reads'
      readonly prefix: string
      /** How many were uploaded with this prefix; read one after the other, again and again. */
      readonly count: number
      /** Used in turn. */
      readonly tokens: readonly string[]
    }
  | { readonly kind: 'get'; readonly path: string; readonly tokens: readonly string[] }

/** When it is sent. */
export type Pace =
  /** Each connection sends its next request when the one before is answered, until the time or the count is over. */
  | {
      readonly kind: 'closed'
      readonly connections: number
      readonly ms?: number | undefined
      readonly count?: number | undefined
      /** Between an answer and the next request. */
      readonly pauseMs?: number | undefined
    }
  /**
   * Requests arrive at random at this rate, whether or not the earlier ones are answered. A latency counts from the
   * arrival. One that finds no connection free is not sent: a client does not queue without end either.
   */
  | { readonly kind: 'open'; readonly perSecond: number; readonly ms: number; readonly connections: number }

export interface LoadPlan {
  readonly port: number
  readonly requests: Requests
  readonly pace: Pace
}

export interface LoadResult {
  /** Answered 200. */
  readonly ok: number
  /** Answered 503: the server sheds load. */
  readonly shed: number
  /** Other answers, by status, and connections that broke. */
  readonly failed: Readonly<Record<string, number>>
  /** Arrived while no connection was free. */
  readonly unsent: number
  /** Sent, but not answered in the 10 s after the time was over. */
  readonly unanswered: number
  /** From the first request to the last answer. */
  readonly ms: number
  /** Of the answers 200; of `unanswered` ones, what they had waited at the end. */
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

/** The reference number of upload n. */
export const referenceOf = (prefix: string, n: number): string => `${prefix}-${String(n).padStart(8, '0')}`
