/** What the steps of a request tell each other, and the log. */
export interface RequestState {
  requestId: string
  /** Pattern of the route; undefined where none matched. */
  route?: string
  subscriptionId?: number
  /** What an answer of 500 or 503 is to be logged with. */
  error?: unknown
}
