import { z } from 'zod'
import { pageOf } from '../http/paging.ts'
import { Timestamp } from '../http/timestamp.ts'

/** An entry of the audit log. */
const AuditEvent = z
  .object({
    id: z.int().meta({ description: 'Id of the event; increases with time', examples: [1207] }),
    at: Timestamp.meta({ description: 'Time of the event; UTC' }),
    actor: z.string().meta({
      description: 'E-mail of a user, operator and an account name, or retention',
      examples: ['ann@lender.example', 'operator deploy', 'retention'],
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
