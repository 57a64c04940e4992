import { accessSync, constants, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../cli/start-error.ts'
import { makeDirectory } from './make-directory.ts'

/**
 * Marks a directory as the data directory of a command, making it when it is missing. From then on, the command may replace
 * and delete what it keeps there: so a directory with files of somebody else is refused.
 *
 * @param owner the command, as in `demo`; its mark is the file `.inkling-demo`.
 * @param isOwn says of a directory without a mark, by the names in it, that the command made it, before there were marks.
 * @throws StartError when the directory is not the command's, or cannot be written.
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
        `The directory ${directory} holds files that are not of scripts/${owner}, which therefore leaves it alone. ` +
          'Choose an empty or a new directory with --data; delete this one first if an earlier version made it.',
      )
    accessSync(directory, constants.W_OK)
    writeFileSync(mark, `scripts/${owner} keeps its data in this directory, and may delete it.\n`)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(
      `The data directory ${directory} cannot be used: ${(cause as Error).message}. Choose another with --data.`,
      { cause },
    )
  }
}
