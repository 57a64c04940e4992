import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimDirectory } from '../servers/claim-directory.ts'
import { makeDirectory } from '../servers/make-directory.ts'
import { removePostgres } from '../servers/remove-postgres.ts'
import { readCredentials } from './credentials.ts'

/** Files that the demo keeps between runs. */
export interface DataDirectory {
  readonly postgres: string
  readonly redis: string
  readonly credentials: string
  /** A request body for an upload by the reader. */
  readonly sample: string
  log(name: string): string
}

/**
 * Opens the directory, and creates it if missing.
 *
 * @param fresh deletes the data of earlier runs first.
 * @throws StartError if it does not belong to the demo, is not writable, or is in use.
 */
export async function openDataDirectory(path: string, { fresh }: { fresh: boolean }): Promise<DataDirectory> {
  const logs = join(path, 'logs')
  const data: DataDirectory = {
    postgres: join(path, 'postgres'),
    redis: join(path, 'redis'),
    credentials: join(path, 'credentials.json'),
    sample: join(path, 'sample-upload.json'),
    log: (name) => join(logs, `${name}.log`),
  }
  // the benchmark uses .data/bench of the project, which may exist before the first demo
  const isBenchOnly = (names: readonly string[]) => names.every((name) => name === 'bench')
  claimDirectory(
    path,
    'demo',
    (names) => isBenchOnly(names) || readCredentials(data.credentials) !== undefined,
  )
  if (fresh) {
    await removePostgres(data.postgres)
    for (const own of [data.redis, data.credentials, data.sample, logs])
      rmSync(own, { recursive: true, force: true })
  }
  makeDirectory(logs)
  return data
}
