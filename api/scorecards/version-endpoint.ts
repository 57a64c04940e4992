import type { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { requireVersion } from './path-params.ts'
import { Version } from './scorecard-schemas.ts'

/** Route and response of an endpoint about a version. */
interface VersionRoute {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly response: { readonly description: string; readonly schema: z.ZodType }
}

/** Declares an endpoint about a version of the caller's subscription; `find` returns undefined for an unknown version. */
export const versionEndpoint = (
  { path, operationId, summary, response }: VersionRoute,
  find: (subscriptionId: number, version: string) => Promise<unknown>,
) =>
  endpoint({
    ...{ method: 'get', path, operationId, summary },
    tag: 'Scorecards',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { version: Version },
    response: { status: 200, ...response },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await find(subscriptionId, requireVersion(params))
      if (found === undefined) throw new Problem('not_found')
      return found
    },
  })
