import type { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { requireVersion } from './path-params.ts'
import { Version } from './scorecard-schemas.ts'

/** What is told of a version, and where. */
interface Told {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly answer: { readonly description: string; readonly schema: z.ZodType }
}

/** An endpoint that tells something of one version of the caller's subscription; undefined where it has no such version. */
export const aboutVersion = (
  { path, operationId, summary, answer }: Told,
  find: (subscriptionId: number, version: string) => Promise<unknown>,
) =>
  endpoint({
    ...{ method: 'get', path, operationId, summary },
    tag: 'Scorecards',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    params: { version: Version },
    answer: { status: 200, ...answer },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params }) {
      const found = await find(subscriptionId, requireVersion(params))
      if (found === undefined) throw new Problem('not_found')
      return found
    },
  })
