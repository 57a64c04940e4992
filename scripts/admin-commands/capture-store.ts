import type { Command } from 'commander'
import { z } from 'zod'
import { takeBucket } from '../../db/object-store/bucket-owner.ts'
import { captureStoreVariables } from '../../db/object-store/capture-store-url.ts'
import { openObjectStore } from '../../db/object-store/object-store.ts'
import { readEnv } from '../../db/runtime/env.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { withDatabase } from '../cli/with-database.ts'

export function captureStoreCommands(captureStore: Command, io: CommandIo): void {
  captureStore
    .command('take-over')
    .description(
      'Let this database remove objects from the bucket of CAPTURE_STORE_URL, after it was restored or moved. ' +
        'The database that the bucket belonged to removes none any more: never run it for a copy',
    )
    .action(async () => {
      const { CAPTURE_STORE_URL: location } = readEnv(z.object(captureStoreVariables(io.env)), io.env)
      if (!location) throw new UserError('CAPTURE_STORE_URL is not set')
      return withDatabase(io, async (db) => {
        const store = await openObjectStore(location)
        try {
          await takeBucket(db, store)
        } finally {
          store.close()
        }
        return { bucket: location.bucket, prefix: location.prefix, tookOver: true }
      })
    })
}
