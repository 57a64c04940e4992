import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findInstalled, type Lock } from './lock.ts'

const IMPORT =
  /^(?:import|export)\b[^'"]*['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)|import\('((?:@[\w.-]+\/)?[\w-][\w.-]*)/gm

/** Returns the folders of the packages that the portal's sources import: its build ships them to browsers. */
export async function listPortalPackages(project: string, lock: Lock): Promise<string[]> {
  const folder = join(project, 'api/portal')
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => /\.tsx?$/.test(file) && !/^(build|dist)\b|^vite\.config/.test(file),
  )
  const sources = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const names = sources.flatMap((source) =>
    [...source.matchAll(IMPORT)].map(([, name, lazy]) => name ?? lazy ?? ''),
  )
  return [...new Set(names)].map((name) => findInstalled(lock, '', name)).filter((path) => path !== undefined)
}
