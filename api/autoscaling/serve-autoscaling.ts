import type { Context, Middleware } from 'koa'
import type { DrainTime } from '../../db/monitoring/drain-time.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { openSecretCheck } from '../http/open-secret-check.ts'
import { Problem } from '../http/problem.ts'
import type { RequestState } from '../http/request-state.ts'
import { waitSecondsOf } from './wait-seconds.ts'

/** Measurement for autoscalers, and their credential. */
interface Autoscaling {
  /** undefined disables the paths. */
  readonly token: string | undefined
  readonly readDrain: () => Promise<DrainTime>
}

/** Autoscalers wait for 3 s or more. */
const DEADLINE_MS = 2_000

/** The process type of the Procfile that is scaled. */
const WORKER = 'worker'

const AREA = /^\/(autoscale|hirefire)(\/|$)/

/** The path of HireFire, which contains the token; logs contain only its pattern. */
const WITH_TOKEN = /^\/hirefire\/([^/]+)\/info$/
const WITH_TOKEN_ROUTE = '/hirefire/:token/info'

/** Presents the load as autoscalers read it, by route. */
const PAGES: Readonly<Record<string, (drain: DrainTime) => unknown>> = {
  '/autoscale': presentList,
  '/autoscale/worker': presentWorker,
  '/hirefire': presentList,
  [WITH_TOKEN_ROUTE]: presentList,
}

/**
 * Serves to autoscalers how many seconds datasets wait: as a list in HireFire's form at `/autoscale`, `/hirefire` and
 * `/hirefire/<token>/info`, and as an object with its parts at `/autoscale/worker`, for the scaler `metrics-api` of KEDA.
 *
 * The token is sent as `Authorization: Bearer`, as `HireFire-Token`, or in the path. Without `AUTOSCALE_TOKEN` the paths are disabled.
 *
 * @see https://help.hirefire.io/article/62-hirefire-job-queue-latency-any-language
 * @see https://keda.sh/docs/latest/scalers/metrics-api/
 */
export function serveAutoscaling({ token, readDrain }: Autoscaling): Middleware<RequestState> {
  const isToken = token === undefined ? undefined : openSecretCheck(token)
  return async (ctx, next) => {
    if (!AREA.test(ctx.path)) return next()
    const [, tokenOfPath] = WITH_TOKEN.exec(ctx.path) ?? []
    const route = tokenOfPath === undefined ? ctx.path : WITH_TOKEN_ROUTE
    const present = PAGES[route]
    ctx.state.route = present ? route : '/autoscale'
    if (!isToken)
      throw new Problem('route_not_found', { detail: 'Autoscaling is disabled until AUTOSCALE_TOKEN is set' })
    if (!isToken(tokenOfPath ?? tokenOfHeaders(ctx)))
      throw new Problem('unauthenticated', {
        detail: 'Send the value of AUTOSCALE_TOKEN as Authorization: Bearer …',
      })
    if (!present)
      throw new Problem('route_not_found', {
        detail: `The paths for autoscalers are ${Object.keys(PAGES).join(', ')}`,
      })
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('method_not_allowed', { allow: 'GET, HEAD' })
    ctx.body = present(await withinDeadline(readDrain()))
  }
}

/** @throws Problem `unavailable` while Postgres does not answer. */
async function withinDeadline(reading: Promise<DrainTime>): Promise<DrainTime> {
  try {
    return await withTimeout(DEADLINE_MS, 'Postgres', reading)
  } catch (cause) {
    throw new Problem('unavailable', {
      cause,
      detail: 'Postgres, which holds the waiting datasets, is unavailable',
      retryAfterSeconds: 2,
    })
  }
}

function presentList(drain: DrainTime) {
  return [{ name: WORKER, value: round(waitSecondsOf(drain)) }]
}

function presentWorker(drain: DrainTime) {
  const { datasets, oldestSeconds, settledPerSecond, secondsToDrain } = drain
  return {
    waitSeconds: round(waitSecondsOf(drain)),
    datasetsWaiting: datasets,
    oldestSeconds: round(oldestSeconds),
    settledPerSecond: round(settledPerSecond),
    secondsToDrain: secondsToDrain === null ? null : round(secondsToDrain),
  }
}

const round = (value: number) => Math.round(value * 100) / 100

function tokenOfHeaders(ctx: Context): string {
  const [, bearer] = /^Bearer +([^ ]+)$/i.exec(ctx.get('authorization')) ?? []
  return bearer ?? ctx.get('hirefire-token')
}
