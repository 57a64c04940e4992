import { z } from 'zod'
import { AUDIT_ACTIONS } from '../../db/audit/audit-actions.ts'
import { listAuditEvents } from '../../db/audit/list-audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { paging } from '../http/paging.ts'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'
import { ActorKind, Outcome } from './actor-schemas.ts'
import { AuditPage } from './audit-schemas.ts'

/** Place of the last event read. Differs from an id, which earlier versions had here and would skip events with. */
const Cursor = z
  .string()
  .regex(/^seq-\d{1,15}$/, 'must be next of a previous page')
  .meta({ description: 'next of the previous page', examples: ['seq-1180'] })
  .transform((cursor) => Number(cursor.slice('seq-'.length)))
  .optional()

const Query = z.object({
  actor: text(1, 320)
    .optional()
    .meta({ description: 'Actor or part of it, case-insensitive', examples: ['ann@lender.example'] }),
  action: text(1, 100)
    .optional()
    .meta({
      description: 'Action such as key.create, or a prefix that ends with a dot, such as key.',
      examples: ['key.'],
    }),
  actorKind: ActorKind.optional().meta({ description: 'Kind of the actor', examples: ['user'] }),
  outcome: Outcome.optional().meta({ description: 'Outcome of the event', examples: ['denied'] }),
  since: InputTimestamp.optional().meta({ description: 'Events at or after this time' }),
  until: InputTimestamp.optional().meta({ description: 'Events before this time' }),
  ...paging,
  cursor: Cursor,
})

const ACTIONS = Object.entries(AUDIT_ACTIONS)
  .map(([action, sentence]) => `- \`${action}\`: ${sentence}`)
  .join('\n')

export const listAudit = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/audit/v1',
    operationId: 'listAudit',
    tag: 'Audit',
    summary: 'Lists the audit log of the subscription',
    description:
      'The audit log: sign-ins, views, searches and exports of datasets, and all changes, newest first. Reads of insight are in the ' +
      'timelines of datasets. Each request searches up to 20,000 events, so a page may have fewer events than limit, or none, while next ' +
      `is not null.\n\nActions:\n\n${ACTIONS}`,
    credential: { kind: 'login', roles: ['admin'] },
    query: Query,
    response: { status: 200, description: 'Events', schema: AuditPage },
    problems: [],
    async act({ caller: { subscriptionId }, query: { cursor: before, ...selection } }) {
      const { events, next } = await listAuditEvents(db, subscriptionId, { before, ...selection })
      return { items: events, next: next ? `seq-${next.seq}` : null, searchedThrough: next?.at ?? null }
    },
  })
