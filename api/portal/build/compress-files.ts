import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Writes `.br` and `.gz` versions of each text file of the build, so that web serves them without compressing. */
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
      const existing = new Set(names)
      await Promise.all(
        names
          .filter((name) => /\.(html|js|css|svg)$/.test(name))
          // asset names contain a content hash: those of an earlier build are already compressed
          .filter((name) => !name.startsWith('assets') || !existing.has(`${name}.br`))
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
