import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type InlineConfig } from 'vite'

const SDK = join(import.meta.dirname, '..')
const DIST = join(SDK, 'dist')
const source = (name: string) => join(SDK, 'src', `${name}.ts`)

/** Browsers with module scripts, `AbortSignal.any` and `Promise.withResolvers` where it is not replaced: of 2023. */
const TARGET = ['chrome116', 'edge116', 'firefox121', 'safari17']

/** Modules of the npm package. They import each other, so a page that uses two of them loads the core once. */
const MODULES = { inkling: source('index'), graphics: source('graphics'), react: source('react'), hosted: source('hosted') }

/** Scripts for pages without a bundler. */
const SCRIPTS = { inkling: source('global'), graphics: source('global-graphics'), hosted: source('global-hosted') }

const config = (version: string, entry: Record<string, string>, format: 'es' | 'iife'): InlineConfig => ({
  root: SDK,
  configFile: false,
  logLevel: 'error',
  define: { VERSION: JSON.stringify(version) },
  build: {
    ...{ outDir: DIST, emptyOutDir: false, target: TARGET, reportCompressedSize: false, modulePreload: false },
    lib: { entry, formats: [format], fileName: (_, name) => `${name}.${format === 'es' ? 'mjs' : 'js'}`, name: '_' },
    minify: 'oxc',
    rolldownOptions: { external: ['react'] },
  },
})

/**
 * Builds the SDK into `api/sdk/dist`, a folder that is also the npm package: modules, scripts, types, and `integrity.json`
 * with the value of each script's `integrity` attribute.
 */
export async function buildSdk(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8'))
  await rm(DIST, { recursive: true, force: true })
  await build(config(version, MODULES, 'es'))
  for (const [name, entry] of Object.entries(SCRIPTS)) await build(config(version, { [name]: entry }, 'iife'))
}

await buildSdk()
