import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Writes `.br` and `.gz` beside what a browser is sent, so that web compresses nothing while it serves. */
function compress(): Plugin {
  let directory = ''
  return {
    name: 'compress',
    apply: 'build',
    configResolved({ root, build }) {
      directory = join(root, build.outDir)
    },
    async closeBundle() {
      const names = await readdir(directory, { recursive: true })
      await Promise.all(
        names
          .filter((name) => /\.(html|js|css|svg)$/.test(name))
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

/** Where `npm run dev:portal` finds the API: `INKLING_URL`, or the demo's address. */
const api = process.env.INKLING_URL ?? 'http://localhost:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compress()],
  build: {
    ...{ outDir: 'dist', emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
    // those that know light-dark(): what stands in for it elsewhere does not know Mantine's colour schemes
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  server: { proxy: { '/api': api, '/v6.0': api, '/docs': api, '/openapi.json': api, '/features': api } },
})
