import type { Problem } from './problem.ts'

/** State shared by the middleware of a request, and logged. */
export interface RequestState {
  requestId: string
  /** Of the trace that records this request; undefined unless one does. */
  traceId?: string
  /** Pattern of the route; undefined where none matched. */
  route?: string
  subscriptionId?: number
  /** The problem that it is answered by. */
  problem?: Problem
  /** Error to log with a response of 500 or 503. */
  error?: unknown
}
