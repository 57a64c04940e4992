import type { Actor } from '../../db/audit/actor.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { changeRetention, findGrace, findRetention, type Retention } from '../../db/datasets/retention.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { RetentionChange, RetentionItem, sayDays, storedDays } from './privacy-schemas.ts'

const PATH = '/api/privacy/v1/retention'

/** Endpoints of the retention of a subscription. */
export const retention = (db: Db) => [
  endpoint({
    method: 'get',
    path: PATH,
    operationId: 'showRetention',
    tag: 'Privacy',
    summary: 'Returns how long datasets are stored',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    response: { status: 200, description: 'The retention', schema: RetentionItem },
    problems: [],
    act: ({ caller: { subscriptionId } }) => show(db, subscriptionId),
  }),
  endpoint({
    method: 'patch',
    path: PATH,
    operationId: 'changeRetention',
    idempotency: 'idempotent',
    tag: 'Privacy',
    summary: 'Changes how long datasets are stored',
    description:
      'Workers remove what is older within minutes, permanently. To store something indefinitely, send "forever". Absent members stay ' +
      'as they are. Recorded in the audit log.',
    credential: { kind: 'login', roles: ['admin'] },
    stepUp: 'with_factor',
    body: RetentionChange,
    response: { status: 200, description: 'The changed retention', schema: RetentionItem },
    problems: [],
    async act({ caller: { subscriptionId }, actor, body }) {
      const [days, blobDays] = [storedDays(body.datasetDays), storedDays(body.captureDays)]
      await recordChange(db, subscriptionId, actor, {
        ...(days !== undefined && { days }),
        ...(blobDays !== undefined && { blobDays }),
      })
      return show(db, subscriptionId)
    },
  }),
]

const recordChange = (db: Db, subscriptionId: number, actor: Actor, change: Partial<Retention>) =>
  db.transaction(async (trx) => {
    const detail = await changeRetention(trx, subscriptionId, change)
    if (!detail)
      throw new Problem('validation_failed', {
        errors: { datasetDays: ['must not be longer than before, in test mode'] },
      })
    await recordAudit(trx, { subscriptionId, actor, action: 'subscription.retention', detail })
  })

async function show(db: Db, subscriptionId: number) {
  const [{ days, blobDays }, capturesFrom] = await Promise.all([
    findRetention(db, subscriptionId),
    findGrace(db, subscriptionId),
  ])
  return { datasetDays: sayDays(days), captureDays: sayDays(blobDays), capturesFrom }
}
