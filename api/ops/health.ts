import { z } from 'zod'
import type { Vault } from '../../db/encryption/vault.ts'
import type { ObjectStore } from '../../db/object-store/object-store.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openStoreCheck } from '../../db/queue/check-stores.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { serviceVersion } from '../../db/runtime/version.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'

const Ok = z
  .object({ status: z.literal('ok').meta({ description: 'The service is healthy' }) })
  .meta({ id: 'Ok' })

const Running = z
  .object({
    status: z.literal('ok').meta({ description: 'The process responds' }),
    version: z.string().meta({ description: 'Version of the service that runs', examples: ['0.1.0'] }),
  })
  .meta({ id: 'Running' })

export const healthz = () =>
  endpoint({
    method: 'get',
    path: '/healthz',
    operationId: 'checkHealth',
    tag: 'Health',
    summary: 'Checks that the process responds',
    description:
      'Reads no store. The version is that of this process: during an upgrade, processes of two versions respond.',
    credential: { kind: 'none' },
    response: { status: 200, description: 'The process responds', schema: Running },
    problems: [],
    async act() {
      return { status: 'ok', version: serviceVersion().version }
    },
  })

export const readyz = ({
  db,
  producer,
  vault,
  captures,
}: {
  db: Db
  producer: QueueProducer
  vault: Vault
  captures?: Pick<ObjectStore, 'check'> | undefined
}) => {
  const checkStores = openStoreCheck(db, producer, vault, captures)
  return endpoint({
    method: 'get',
    path: '/readyz',
    operationId: 'checkReadiness',
    tag: 'Health',
    summary: 'Checks that Postgres and the queue respond',
    description:
      'Uploads are accepted even while the queue is unavailable: route traffic by /healthz, alert on /readyz. Names keys of encrypted ' +
      'data that are missing, and object storage that does not respond, too.',
    credential: { kind: 'none' },
    response: { status: 200, description: 'Postgres and the queue respond', schema: Ok },
    problems: ['unavailable'],
    async act() {
      const errors = await checkStores()
      if (Object.keys(errors).length > 0)
        throw new Problem('unavailable', {
          errors,
          detail: `Not ready: ${Object.keys(errors).join(' and ')}`,
        })
      return { status: 'ok' }
    },
  })
}
