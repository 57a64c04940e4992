import { rmSync } from 'node:fs'
import { openPostgresHome } from './postgres-home.ts'
import { waitUntilUnused } from './postgres-lock.ts'

/**
 * Deletes the data of a Postgres, also if it is in the fallback directory (see openPostgresHome).
 *
 * @param wanted the directory given to startPostgres.
 * @throws StartError if it is in use.
 */
export async function removePostgres(wanted: string): Promise<void> {
  const { directory } = openPostgresHome(wanted)
  await waitUntilUnused(directory)
  rmSync(directory, { recursive: true, force: true })
}
