import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../cli/start-error.ts'

/**
 * Makes a directory with those above it, where they are missing, and returns it. Other users may pass through what is made,
 * whatever our umask, and list nothing: root's Postgres runs as another user.
 *
 * @throws StartError when a directory cannot be made.
 */
export function makeDirectory(directory: string): string {
  // one at a time: Node's `recursive` never returns for /proc/x, where the system says ENOENT though /proc exists
  if (existsSync(directory)) return directory
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory)
    chmodSync(directory, 0o711)
  } catch (cause) {
    if (existsSync(directory)) return directory // another process made it meanwhile
    throw new StartError(
      `Cannot make the directory ${directory}: ${(cause as Error).message}. Choose another one.`,
      { cause },
    )
  }
  return directory
}
