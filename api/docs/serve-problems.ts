import { createHash } from 'node:crypto'
import type { Middleware } from 'koa'
import { PROBLEM_CODES, Problem } from '../http/problem.ts'
import { helpPath } from '../http/problem-type.ts'
import { describeEntry, PROBLEM_STYLE, renderProblem, renderProblems } from './problem-page.ts'

/** The pages have no script and one style, which is allowed by its hash. @see https://www.w3.org/TR/CSP3/#hash-source */
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(PROBLEM_STYLE).digest('base64')}'; img-src data:; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Serves `/problems`, the list of all problems, and `/problems/<code>`, the page to which the `type` and the `Link` of a problem
 * lead: HTML, or JSON to programs that ask for it by `Accept`.
 */
export function serveProblems(): Middleware {
  return (ctx, next) => {
    const path = ctx.path.toLowerCase()
    if (path !== '/problems' && !path.startsWith('/problems/')) return next()
    const code = PROBLEM_CODES.find((one) => helpPath(one) === path)
    if (path !== '/problems' && !code)
      throw new Problem('route_not_found', { detail: 'There is no such problem; /problems lists all' })
    ctx.state.route = code ? '/problems/:code' : '/problems'
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('method_not_allowed', { allow: 'GET, HEAD' })
    ctx.set({
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept',
    })
    if (ctx.accepts('html', 'json') === 'json') {
      ctx.type = 'application/json; charset=utf-8'
      ctx.body = JSON.stringify(code ? describeEntry(code) : PROBLEM_CODES.map(describeEntry))
    } else {
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = code ? renderProblem(describeEntry(code)) : renderProblems()
    }
    return undefined
  }
}
