import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Builds the portal and the capture SDK for browsers, each unless its build is up to date. Returns whether something was built.
 *
 * @throws Error with the output of a failed build.
 */
export async function buildPortal(root: string): Promise<boolean> {
  const portal = join(root, 'api/portal')
  const sdk = join(root, 'api/sdk')
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  const built = [
    await buildFolder(portal, 'index.html', [vite, 'build', portal, '--logLevel', 'error']),
    await buildFolder(sdk, 'integrity.json', [join(sdk, 'build/main.ts')]),
  ]
  return built.includes(true)
}

/** @param last the file of `dist` by whose time the build is dated */
async function buildFolder(folder: string, last: string, command: string[]): Promise<boolean> {
  const built = await changedAt(join(folder, 'dist', last))
  if (built !== undefined && (await newestIn(folder)) < built) return false
  // a separate process: test runners set NODE_ENV, which makes React build for development
  await promisify(execFile)(process.execPath, command, { env: { ...process.env, NODE_ENV: 'production' } })
  return true
}

const changedAt = async (file: string) => (await stat(file).catch(() => undefined))?.mtimeMs

/** The latest modification time of a source file, in milliseconds. */
async function newestIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sources = names.filter((name) => !/^(dist|node_modules)\b/.test(name))
  const times = await Promise.all(sources.map((name) => changedAt(join(folder, name))))
  return Math.max(...times.map((time) => time ?? 0))
}
