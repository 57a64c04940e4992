import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT } from '../start-process.ts'

/** Reads the shell commands of a section of docs/operations/backup.md, in their order. @throws if it has none. */
export async function commandsOf(heading: string): Promise<string> {
  const guide = await readFile(join(PROJECT, 'docs/operations/backup.md'), 'utf8')
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const blocks = [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  if (blocks.length === 0) throw new Error(`The section ${heading} has no commands`)
  return blocks.join('')
}
