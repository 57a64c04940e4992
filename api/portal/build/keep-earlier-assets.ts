import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Retention of earlier builds' assets, for pages that were opened before a deployment. */
const KEEP_MS = 24 * 60 * 60 * 1_000

/** File in the build folder: the time at which each earlier asset was first missing from a build, in milliseconds. */
const RECORD = 'superseded.json'

/**
 * Keeps assets for a day after the first build without them, then removes them. Vite's own `emptyOutDir` would remove them
 * immediately and break pages that are open in browsers.
 */
export function keepEarlierAssets(now = Date.now): Plugin {
  let directory = ''
  return {
    name: 'keep-earlier-assets',
    apply: 'build',
    configResolved({ root, build }) {
      directory = join(root, build.outDir)
    },
    async writeBundle(_options, bundle) {
      const before = await readRecord(join(directory, RECORD))
      const after: Record<string, number> = {}
      await mkdir(join(directory, 'assets'), { recursive: true })
      for (const name of await readdir(join(directory, 'assets'))) {
        const asset = name.replace(/\.(br|gz)$/, '')
        if (`assets/${asset}` in bundle) continue
        const supersededAt = before[asset] ?? now()
        if (now() - supersededAt < KEEP_MS) after[asset] = supersededAt
        else await rm(join(directory, 'assets', name))
      }
      await writeFile(join(directory, RECORD), JSON.stringify(after))
    },
  }
}

async function readRecord(file: string): Promise<Readonly<Record<string, number>>> {
  const text = await readFile(file, 'utf8').catch(() => '{}') // missing before the first build
  return JSON.parse(text)
}
