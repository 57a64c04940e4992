import { randomBytes } from 'node:crypto'
import type { Finding } from '../../db/checks/finding.ts'
import { makeObjectId } from '../../db/encryption/capture-reference.ts'
import { findOwner } from '../../db/object-store/bucket-owner.ts'
import { type ObjectStore, openObjectStore } from '../../db/object-store/object-store.ts'
import type { Check } from './check.ts'
import { Skipped } from './skipped.ts'

/** No subscription has this id. An object that is left over is removed by the sweep of orphans. */
const PROBE_SUBSCRIPTION = 0

/** Writes, reads and removes an object in the bucket, and finds the database that the bucket belongs to. */
export const checkObjectStorage: Check = {
  name: 'object storage',
  async run({ tables, variables }) {
    const { CAPTURE_STORE_URL: location } = variables
    if (!location) throw new Skipped('CAPTURE_STORE_URL is not set: captures are in Postgres')
    const saw = `bucket ${location.bucket}${location.endpoint === undefined ? '' : ` at ${URL.parse(location.endpoint)?.host}`}`
    const store = await openObjectStore(location)
    try {
      await probe(store)
      const owner = await findOwner(await tables(), store)
      return { saw, findings: owner === 'other' ? [OTHER_OWNER] : [] }
    } catch (error) {
      if (error instanceof Skipped) return { saw, findings: [] } // without tables, no database owns it yet
      return { saw, findings: [describe(error)] }
    } finally {
      store.close()
    }
  },
}

/** @throws ObjectStoreError if one of the requests fails. */
async function probe(store: ObjectStore): Promise<void> {
  if (!store.isWritten) return store.check()
  const key = { subscriptionId: PROBE_SUBSCRIPTION, id: makeObjectId() }
  const content = randomBytes(16)
  await store.write(key, content)
  const read = await store.read(key)
  await store.remove(key)
  if (!read.equals(content))
    throw new Error('Object storage returned another object than the one that was written')
}

const OTHER_OWNER: Finding = {
  level: 'warning',
  message:
    'The bucket belongs to another database: this one removes no object from it, and deleted captures stay there',
  remedy: 'If this database was restored or moved: scripts/admin capture-store take-over. Never for a copy',
}

function describe(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.name})` : ''
  return {
    level: 'error',
    message: `${message}${cause}: uploads are answered 503, and stored captures cannot be read`,
    remedy:
      'Check CAPTURE_STORE_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they permit s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket',
  }
}
