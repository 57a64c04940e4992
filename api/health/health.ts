import { z } from 'zod'
import { type Db, queryRows } from '../../db/database.ts'
import type { Bell } from '../../db/queue.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'

const Ok = z.object({ status: z.literal('ok') }).meta({ id: 'Ok' })

export const healthz = () =>
  endpoint({
    method: 'get',
    path: '/healthz',
    operationId: 'checkHealth',
    tag: 'Health',
    summary: 'Whether the process answers',
    credential: { kind: 'none' },
    answer: { status: 200, description: 'It does', schema: Ok },
    problems: [],
    async act() {
      return { status: 'ok' }
    },
  })

/** How long a store may take to show that it is there. */
const PATIENCE_MS = 2_000

export const readyz = (db: Db, bell: Bell) =>
  endpoint({
    method: 'get',
    path: '/readyz',
    operationId: 'checkReadiness',
    tag: 'Health',
    summary: 'Whether Postgres and the queue answer',
    description:
      'Uploads are accepted even while the queue is away: route traffic by /healthz, alert on /readyz.',
    credential: { kind: 'none' },
    answer: { status: 200, description: 'Both answer', schema: Ok },
    problems: ['unavailable'],
    async act() {
      const postgres = Promise.race([
        queryRows(db, 'select 1'),
        new Promise((_, reject) => setTimeout(reject, PATIENCE_MS).unref()),
      ])
      const [database, queue] = await Promise.allSettled([postgres, bell.check()])
      const errors: Record<string, string[]> = {}
      if (database.status === 'rejected') errors.postgres = ['does not answer']
      if (queue.status === 'rejected') errors.queue = ['does not take jobs']
      if (Object.keys(errors).length > 0)
        throw new Problem('unavailable', {
          errors,
          detail: `Not ready: ${Object.keys(errors).join(' and ')}`,
        })
      return { status: 'ok' }
    },
  })
