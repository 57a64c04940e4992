import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'

/** Returns an absolute path; rejects an empty value, such as an unset variable, instead of using the current directory. */
export function parseDirectory(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must name a directory.')
  return resolve(text)
}
