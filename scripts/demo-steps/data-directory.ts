import { accessSync, chmodSync, constants, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removePostgres } from '../processes/remove-postgres.ts'
import { StartError } from '../processes/start-error.ts'

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
 * @param fresh deletes first what the demo keeps there, and nothing else that may be there.
 * @throws StartError when it cannot be written, or is in use.
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
  try {
    // others may pass through, since root's Postgres runs as another user, and list nothing
    if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o711)
    accessSync(path, constants.W_OK)
    if (fresh) {
      await removePostgres(data.postgres)
      for (const own of [data.redis, data.credentials, data.sample, logs])
        rmSync(own, { recursive: true, force: true })
    }
    mkdirSync(logs, { recursive: true })
    accessSync(logs, constants.W_OK)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `The data directory ${path} cannot be used: ${(cause as Error).message}. Choose another with --data.`,
      { cause },
    )
  }
  return data
}
