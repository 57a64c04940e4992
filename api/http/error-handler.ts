import type { Context, Middleware } from 'koa'
import { DataKeyError } from '../../db/encryption/data-key-error.ts'
import { ObjectStoreError } from '../../db/encryption/object-store-error.ts'
import { isTransientDatabaseError } from '../../db/postgres/database-errors.ts'
import { presentProblem } from './present-problem.ts'
import { Problem } from './problem.ts'
import { PROBLEM_HELP } from './problem-help.ts'
import { helpLink } from './problem-type.ts'
import type { RequestState } from './request-state.ts'

/**
 * Turns every error into a problem response; stores the cause of server errors in the state, for the log.
 *
 * @param origin the origin of the public address, where the pages of problems are.
 */
export const handleErrors =
  (origin?: string): Middleware<RequestState> =>
  async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body == null) throw new Problem('route_not_found')
    } catch (error) {
      const problem = problemOf(error)
      ctx.state.problem = problem
      if (problem.cause) ctx.state.error = problem.cause
      respond(ctx, problem, origin)
    }
  }

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const isStoreFault = error instanceof DataKeyError || error instanceof ObjectStoreError
  if (isStoreFault || isTransientDatabaseError(error))
    return new Problem('unavailable', { cause: error, retryAfterSeconds: 2 })
  return new Problem('internal_error', { cause: error })
}

/** @see RFC 9470, section 3 */
const STEP_UP_CHALLENGE = 'Bearer realm="inkling", error="insufficient_user_authentication", max_age="600"'

/** Returns the shortest delay in seconds for a problem that is retried after one, otherwise undefined. */
const defaultDelay = ({ code }: Problem) => (PROBLEM_HELP[code].retry === 'after_delay' ? 1 : undefined)

function respond(ctx: Context, problem: Problem, origin: string | undefined): void {
  const { allow, retryAfterSeconds } = problem.options
  ctx.status = problem.status
  ctx.body = JSON.stringify(presentProblem(problem, ctx.state.requestId, origin))
  ctx.type = 'application/problem+json'
  ctx.append('Link', helpLink(problem.code))
  if (problem.status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="inkling"')
  if (problem.code === 'step_up_required') ctx.set('WWW-Authenticate', STEP_UP_CHALLENGE)
  if (problem.code === 'invalid_credentials')
    ctx.set('WWW-Authenticate', 'Bearer realm="inkling", error="invalid_request"')
  const delay = retryAfterSeconds ?? defaultDelay(problem)
  if (delay !== undefined) ctx.set('Retry-After', String(delay))
  if (allow) ctx.set('Allow', allow)
}
