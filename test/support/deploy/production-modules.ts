import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT } from '../start-process.ts'

const run = promisify(execFile)

/**
 * Gives a copy of the project the packages that `npm ci --omit=dev` installs: those of this folder without those of
 * development, by npm itself. Links to files cost a tenth of their download and extraction.
 */
export async function linkProductionModules(project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  const copy = (flags: string) => run('cp', [flags, join(PROJECT, 'node_modules'), modules])
  await copy('-al').catch(async () => {
    await rm(modules, { recursive: true, force: true }) // another file system, or a cp without links
    await copy('-a')
  })
  await rm(join(modules, '.package-lock.json')) // npm would write into the linked file
  await run('npm', ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project })
}
