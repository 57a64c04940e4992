import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimDirectory } from '../servers/claim-directory.ts'
import { makeDirectory } from '../servers/make-directory.ts'
import { removePostgres } from '../servers/remove-postgres.ts'
import { readCredentials } from './credentials.ts'

/** What the demo keeps between runs. */
export interface DataDirectory {
  readonly postgres: string
  readonly redis: string
  readonly credentials: string
  /** A request body for the reader's own upload. */
  readonly sample: string
  log(name: string): string
}

/**
 * Opens the directory, making it when it is missing.
 *
 * @param fresh deletes first what the demo keeps there.
 * @throws StartError when it is not the demo's, cannot be written, or is in use.
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
  // the benchmark keeps its data in .data/bench of the project, which may be there before the first demo
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
