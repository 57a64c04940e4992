import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { METHODS } from '../http/endpoint.ts'
import type { Problem } from '../http/problem.ts'
import type { LimitUse } from '../limits/limiter.ts'

/** A request that was answered or aborted. */
interface ServedRequest {
  readonly method: string
  /** Pattern of the route; undefined where none matched. */
  readonly route: string | undefined
  readonly status: number
  /** Milliseconds from its headers to the end of its response, or until the client left. */
  readonly ms: number
  /** How it ended without a complete response: `incomplete` if not all of the request arrived. */
  readonly aborted: 'incomplete' | 'left' | undefined
}

/** Counts what this web process does: nothing but additions in memory. */
export interface WebMetrics {
  /** Counts a request once it was answered, or aborted. */
  countRequest(request: ServedRequest): void
  /** Counts a problem response. */
  countRejection(problem: Problem): void
  /** Counts a connection that was closed at once, because the process has too many. */
  countDroppedConnection(): void
  /** Counts a commit of uploads, whether they were new or repeated. */
  countCommit(uploads: number, seconds: number): void
}

/** The route of uploads, whose errors are an objective: its series exist from the start, so that its first error is an increase. */
const UPLOAD = { route: '/api/datasets/v1/upload', method: 'POST' }

const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'aborted', 'unanswered'] as const

/** Time after which a client that leaves counts as not answered, instead of as one that changed its mind. */
const UNANSWERED_MS = 5_000

/** Methods that are labels; Node accepts others, too. */
const COUNTED: ReadonlySet<string> = new Set(
  ['head', 'options', ...METHODS].map((method) => method.toUpperCase()),
)

/** Adds the metrics of web. @param listLimitUse of the subscriptions and keys in use. */
export function openWebMetrics(registry: Registry, listLimitUse: () => readonly LimitUse[]): WebMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'inkling_http_requests_total',
    help: 'Requests by pattern of their route (unmatched: no route), method and class of status; aborted: the client left, or its request was never complete; unanswered: the client left after it had waited for 5 s',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  for (const status of STATUSES) requests.inc({ ...UPLOAD, status }, 0)
  const seconds = new Histogram({
    name: 'inkling_http_request_seconds',
    help: 'Seconds from the headers of a request to the end of its response, by route and method; without those aborted',
    labelNames: ['route', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const rejections = new Counter({
    name: 'inkling_http_rejections_total',
    help: 'Requests answered by a problem, by its title and, for rate_limited, the name of the limit',
    labelNames: ['reason', 'limit'],
    registers,
  })
  const dropped = new Counter({
    name: 'inkling_http_connections_dropped_total',
    help: 'Connections that were closed at once, because the process had too many',
    registers,
  })
  const batchDatasets = new Histogram({
    name: 'inkling_upload_batch_datasets',
    help: 'Uploads committed together',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  })
  const commitSeconds = new Histogram({
    name: 'inkling_upload_commit_seconds',
    help: 'Seconds that the transaction of a batch of uploads took',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  addLimitMetrics(registry, listLimitUse)

  return {
    countRequest({ method, route = 'unmatched', status, ms, aborted }) {
      const labels = { route, method: COUNTED.has(method) ? method : 'other' }
      requests.inc({ ...labels, status: aborted ? statusOf(aborted, ms) : `${Math.floor(status / 100)}xx` })
      if (!aborted) seconds.observe(labels, ms / 1_000)
    },
    countRejection: ({ code, options }) =>
      rejections.inc({ reason: code, limit: options.members?.limit?.name ?? '' }),
    countDroppedConnection: () => dropped.inc(),
    countCommit(uploads, seconds) {
      batchDatasets.observe(uploads)
      commitSeconds.observe(seconds)
    },
  }
}

const statusOf = (aborted: 'incomplete' | 'left', ms: number) =>
  aborted === 'left' && ms >= UNANSWERED_MS ? 'unanswered' : 'aborted'

/** Processes see the same subscriptions, so the largest value counts, not the sum. */
function addLimitMetrics(registry: Registry, list: () => readonly LimitUse[]): void {
  new Gauge({
    name: 'inkling_limit_used_ratio',
    help: 'Largest share that a subscription or key in use has used of its limit, by name of the limit; at 1 it is reached',
    labelNames: ['limit'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { limit, largest } of list()) this.set({ limit }, largest)
    },
  })
  new Gauge({
    name: 'inkling_limits_reached',
    help: 'Subscriptions or keys in use that have reached their limit, by name of the limit',
    labelNames: ['limit'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { limit, reached } of list()) this.set({ limit }, reached)
    },
  })
}
