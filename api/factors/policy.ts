import type { Db } from '../../db/postgres/database.ts'
import { changePolicy, findPolicy } from '../../db/sign-in/policy.ts'
import { endpoint } from '../http/endpoint.ts'
import { PolicyChange, PolicyItem } from './factor-schemas.ts'

const PATH = '/api/policy/v1'

/** Endpoints of the rules that a subscription sets for its own users. */
export const policy = (db: Db) => [
  endpoint({
    method: 'get',
    path: PATH,
    operationId: 'showPolicy',
    tag: 'Policy',
    summary: 'Returns the policy of the subscription',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: { status: 200, description: 'The policy', schema: PolicyItem },
    problems: [],
    act: ({ caller: { subscriptionId } }) => findPolicy(db, subscriptionId),
  }),
  endpoint({
    method: 'patch',
    path: PATH,
    operationId: 'changePolicy',
    idempotency: 'idempotent',
    tag: 'Policy',
    summary: 'Changes the policy of the subscription',
    description:
      'Applies at once, also to users who are signed in. The login call of programs goes on to return tokens to users without a ' +
      'factor; routes that need a step-up then reject them. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    // an admin without a factor can require factors, and then has to add one
    stepUp: 'with_factor',
    body: PolicyChange,
    response: { status: 200, description: 'The changed policy', schema: PolicyItem },
    problems: [],
    act: ({ caller: { subscriptionId }, actor, body }) =>
      changePolicy(db, { subscriptionId, actor, change: body }),
  }),
]
