import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new directory for a server's files; root's Postgres runs as another user, who may pass through it. */
export async function makeServerDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-postgres-'))
  await chmod(directory, 0o711)
  return directory
}
