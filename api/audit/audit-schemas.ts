import { z } from 'zod'
import { AUDIT_OUTCOMES } from '../../db/audit/audit-events.ts'
import { pageOf } from '../http/paging.ts'
import { Timestamp } from '../http/timestamp.ts'
import { ActorKind } from './actor-schemas.ts'

/** An entry of the audit log. */
const AuditEvent = z
  .object({
    id: z.int().meta({ description: 'Id of the event; increases with time', examples: [1207] }),
    at: Timestamp.meta({ description: 'Time of the event; UTC' }),
    actor: z.string().meta({
      description: 'E-mail of a user, operator and an account name, or retention',
      examples: ['ann@lender.example', 'operator deploy', 'retention'],
    }),
    actorKind: ActorKind.nullable().meta({
      description: 'Kind of the actor; null in records of versions before 1.16, which name it alone',
      examples: ['user'],
    }),
    actorId: z
      .int()
      .nullable()
      .meta({ description: 'Id of the user or API key', examples: [7] }),
    address: z
      .string()
      .nullable()
      .meta({
        description: 'Address that the request came from; null without a request',
        examples: ['203.0.113.7'],
      }),
    action: z
      .string()
      .meta({ description: 'Resource and action, separated by a dot', examples: ['key.create'] }),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'Id of the resource, such as a reference number', examples: ['41'] }),
    detail: z.record(z.string(), z.unknown()).meta({
      description: 'Details, depending on the action',
      examples: [{ label: 'loan backend', role: 'uploader' }],
    }),
    outcome: z.enum(AUDIT_OUTCOMES).meta({
      description: 'success, failure, or denied: a request that was rejected',
      examples: ['success'],
    }),
  })
  .meta({ id: 'AuditEvent' })

/** Page of the audit log. */
export const AuditPage = pageOf(AuditEvent)
  .extend({
    searchedThrough: Timestamp.nullable().meta({
      description: 'Time back to which the log was searched; null at the end',
      examples: [null],
    }),
  })
  .meta({ id: 'AuditPage' })
