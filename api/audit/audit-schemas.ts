import { z } from 'zod'
import { pageOf } from '../http/paging.ts'
import { Timestamp } from '../http/timestamp.ts'

/** Something that somebody changed. */
const AuditEvent = z
  .object({
    id: z.int().meta({ description: 'Grows with time', examples: [1207] }),
    at: Timestamp.meta({ description: 'When it happened; UTC' }),
    actor: z.string().meta({
      description: 'The e-mail of a user; operator and an account name; or retention',
      examples: ['ann@lender.example', 'operator deploy', 'retention'],
    }),
    action: z
      .string()
      .meta({ description: 'The thing, a dot, and what was done to it', examples: ['key.create'] }),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'What it was done to, such as a reference number', examples: ['41'] }),
    detail: z.record(z.string(), z.unknown()).meta({
      description: 'More about it, by action',
      examples: [{ label: 'loan backend', role: 'uploader' }],
    }),
  })
  .meta({ id: 'AuditEvent' })

/** Part of the log. */
export const AuditPage = pageOf(AuditEvent)
  .extend({
    searchedThrough: Timestamp.nullable().meta({
      description: 'How far back this came, where there is more to search; null at the end',
      examples: [null],
    }),
  })
  .meta({ id: 'AuditPage' })
