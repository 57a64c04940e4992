import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT, paasEnv, startProcess } from './start-process.ts'

/** Code that Node compiled for processes of the tests. */
export const COMPILE_CACHE = join(PROJECT, 'node_modules/.cache/node-compile')

/** Exists once web and worker were compiled. */
const FILLED = join(COMPILE_CACHE, 'filled')

/** Files of several runs of all tests, 300 MB: tests also start temporary copies of the project, whose code no later run uses. */
const MAX_FILES = 30_000

/**
 * Compiles the code of web and worker, unless an earlier run did. Node writes the cache when a process ends: without this, the first ones to
 * end would take seconds longer on a busy machine, and tests measure how long processes take to end.
 *
 * @param databaseUrl of a database without tables, on which web and worker exit once they are loaded.
 */
export async function fillCompileCache(databaseUrl: string): Promise<void> {
  if (existsSync(FILLED)) {
    const files = await readdir(COMPILE_CACHE, { recursive: true })
    if (files.length <= MAX_FILES) return
    await rm(COMPILE_CACHE, { recursive: true, force: true })
  }
  const env = paasEnv({ databaseUrl, redisUrl: undefined })
  await Promise.all(['web', 'worker'].map((type) => startProcess(type, env).ended))
  await writeFile(FILLED, '')
}
