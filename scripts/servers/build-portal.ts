import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Builds the portal unless the build is up to date. Returns whether it was built.
 *
 * @throws Error with the output of a failed build.
 */
export async function buildPortal(root: string): Promise<boolean> {
  const portal = join(root, 'api/portal')
  const built = await changedAt(join(portal, 'dist/index.html'))
  if (built !== undefined && (await newestIn(portal)) < built) return false
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  // a separate process: test runners set NODE_ENV, which makes React build for development
  await promisify(execFile)(process.execPath, [vite, 'build', portal, '--logLevel', 'error'], {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return true
}

const changedAt = async (file: string) => (await stat(file).catch(() => undefined))?.mtimeMs

/** The latest modification time of a source file, in milliseconds. */
async function newestIn(portal: string): Promise<number> {
  const names = await readdir(portal, { recursive: true })
  const sources = names.filter((name) => !/^(dist|node_modules)\b/.test(name))
  const times = await Promise.all(sources.map((name) => changedAt(join(portal, name))))
  return Math.max(...times.map((time) => time ?? 0))
}
