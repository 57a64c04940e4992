import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'

/** The absolute path of a directory on the command line; an empty text, as of an unset variable, is not the current one. */
export function parseDirectory(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must name a directory.')
  return resolve(text)
}
