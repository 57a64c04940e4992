import { execFile } from 'node:child_process'
import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT } from '../start-process.ts'

const run = promisify(execFile)

/**
 * Gives a copy of the project the packages that `npm ci --omit=dev` installs: those of this folder that npm's own list of it
 * does not mark as packages of development. Links to files cost a tenth of their download and extraction.
 */
export async function linkProductionModules(project: string): Promise<void> {
  const list = await readFile(join(PROJECT, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(list) as { packages: Record<string, { dev?: boolean }> }
  const paths = Object.keys(packages)
  const isDev = (path: string) => packages[path]?.dev === true
  const whole = paths.filter((path) => path.lastIndexOf('node_modules/') === 0 && !isDev(path))
  await run('cp', ['-al', '--parents', ...whole, project], { cwd: PROJECT }).catch(async () => {
    // another file system, or a cp without links
    for (const path of whole) await cp(join(PROJECT, path), join(project, path), { recursive: true })
  })
  const within = paths.filter((path) => isDev(path) && whole.some((outer) => path.startsWith(`${outer}/`)))
  for (const path of within) await rm(join(project, path), { recursive: true, force: true })
}
