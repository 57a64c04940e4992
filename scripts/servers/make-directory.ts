import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../cli/start-error.ts'

/**
 * Creates a directory and its missing parents, and returns it. Other users may traverse but not list the new directories,
 * whatever the umask: root's Postgres runs as another user.
 *
 * @throws StartError if a directory cannot be created.
 */
export function makeDirectory(directory: string): string {
  // one at a time: Node's `recursive` never returns for /proc/x, where mkdir fails with ENOENT although /proc exists
  if (existsSync(directory)) return directory
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory)
    chmodSync(directory, 0o711)
  } catch (cause) {
    if (existsSync(directory)) return directory // created by another process in the meantime
    throw new StartError(
      `Cannot create the directory ${directory}: ${(cause as Error).message}. Choose another one.`,
      { cause },
    )
  }
  return directory
}
