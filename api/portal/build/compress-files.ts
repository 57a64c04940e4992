import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Writes `.br` and `.gz` beside each text file of the build, so that web compresses none of them while it serves. */
export function compressFiles(): Plugin {
  let directory = ''
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved({ root, build }) {
      directory = join(root, build.outDir)
    },
    async closeBundle() {
      const names = await readdir(directory, { recursive: true })
      const isThere = new Set(names)
      await Promise.all(
        names
          .filter((name) => /\.(html|js|css|svg)$/.test(name))
          // names of assets contain a hash of their content: those of an earlier build are compressed already
          .filter((name) => !name.startsWith('assets') || !isThere.has(`${name}.br`))
          .map(async (name) => {
            const file = join(directory, name)
            const bytes = await readFile(file)
            await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes))
            await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
          }),
      )
    },
  }
}
