import { accessSync, constants, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../cli/start-error.ts'
import { makeDirectory } from './make-directory.ts'

/**
 * Marks a directory as the data directory of a command, and creates it if missing. The command may then replace and delete
 * its files there, so a directory with other files is rejected.
 *
 * @param owner the command, for example `demo`, which is marked by the file `.inkling-demo`.
 * @param isOwn recognises, by its file names, an unmarked directory from a version of the command without marks.
 * @throws StartError if the directory has other files or is not writable.
 */
export function claimDirectory(
  directory: string,
  owner: string,
  isOwn: (names: readonly string[]) => boolean,
): void {
  makeDirectory(directory)
  const mark = join(directory, `.inkling-${owner}`)
  try {
    const names = readdirSync(directory)
    if (names.length > 0 && !existsSync(mark) && !isOwn(names))
      throw new StartError(
        `The directory ${directory} contains files that do not belong to scripts/${owner}. ` +
          'Choose an empty or new directory with --data; if an earlier version created this one, delete it first.',
      )
    accessSync(directory, constants.W_OK)
    writeFileSync(mark, `scripts/${owner} stores its data in this directory and may delete it.\n`)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `The data directory ${directory} cannot be used: ${(cause as Error).message}. Choose another with --data.`,
      { cause },
    )
  }
}
