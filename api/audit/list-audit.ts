import { z } from 'zod'
import { AUDIT_ACTIONS } from '../../db/audit/audit-actions.ts'
import { listAuditEvents } from '../../db/audit/list-audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { paging } from '../http/paging.ts'
import { text } from '../http/text.ts'
import { InputTimestamp } from '../http/timestamp.ts'
import { AuditPage } from './audit-schemas.ts'

/** The id of the last event that was looked at. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'must be next of an answer of this list')
  .meta({ description: 'next of the answer before', examples: ['1180'] })
  .transform(Number)
  .optional()

const Query = z.object({
  actor: text(1, 320)
    .optional()
    .meta({ description: 'Who, or part of it, in any case', examples: ['ann@lender.example'] }),
  action: text(1, 100)
    .optional()
    .meta({
      description: 'As in key.create; with a dot at the end, as in key., all that begin with it',
      examples: ['key.'],
    }),
  since: InputTimestamp.optional().meta({ description: 'Then or later' }),
  until: InputTimestamp.optional().meta({ description: 'Before' }),
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
    summary: 'List who changed what in the subscription',
    description:
      'Newest first. An answer may hold fewer events than were asked for, or none, and go on all the same: what is searched ' +
      `for is looked for among 20,000 events at a time.\n\nActions:\n\n${ACTIONS}`,
    credential: { kind: 'login', roles: ['admin'] },
    query: Query,
    response: { status: 200, description: 'Events', schema: AuditPage },
    problems: [],
    async act({ caller: { subscriptionId }, query: { cursor: before, ...selection } }) {
      const { events, next } = await listAuditEvents(db, subscriptionId, { before, ...selection })
      return { items: events, next: next ? String(next.id) : null, searchedThrough: next?.at ?? null }
    },
  })
