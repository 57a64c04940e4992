import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a directory for a server's files. Others may traverse it, as root runs Postgres as another user. */
export async function makeServerDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-postgres-'))
  await chmod(directory, 0o711)
  return directory
}
