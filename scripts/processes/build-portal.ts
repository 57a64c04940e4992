import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Builds the portal of a project if that was never done, or before its pages changed. Says whether it did. */
export async function buildPortal(root: string): Promise<boolean> {
  const portal = join(root, 'api/portal')
  const built = await changedAt(join(portal, 'dist/index.html'))
  if (built !== undefined && (await newestIn(portal)) < built) return false
  const { build } = await import('vite')
  await build({ configFile: join(portal, 'vite.config.ts'), logLevel: 'error' })
  return true
}

const changedAt = async (file: string) => (await stat(file).catch(() => undefined))?.mtimeMs

/** When the youngest source was changed, in milliseconds. */
async function newestIn(portal: string): Promise<number> {
  const names = await readdir(portal, { recursive: true })
  const sources = names.filter((name) => !/^(dist|node_modules)\b/.test(name))
  const times = await Promise.all(sources.map((name) => changedAt(join(portal, name))))
  return Math.max(...times.map((time) => time ?? 0))
}
