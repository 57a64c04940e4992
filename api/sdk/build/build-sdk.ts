import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type InlineConfig, minify, type Plugin } from 'vite'

const SDK = join(import.meta.dirname, '..')
const source = (name: string) => join(SDK, 'src', `${name}.ts`)

/** The oldest browsers that have all that the SDK uses: of March 2024. */
const TARGET = ['chrome119', 'edge119', 'firefox121', 'safari17.4']

/** Modules. They import each other, so a page that uses two of them loads the core once. */
const MODULES = ['inkling', 'facts', 'graphics', 'react', 'hosted']

/** Scripts for pages without a bundler, each of one file; they load `facts.mjs` and `graphics.mjs` when they need them. */
const SCRIPTS = ['inkling', 'hosted']

/** Files with types: what users import, and what those files import. */
const TYPES = /^(index|react|hosted|api|wire)\.d\.ts$/

/** Members of objects that stay within the core: not stored, not sent, and of no browser API. */
const INTERNAL = /^(nameOf|isSecret|permits|scan|pump|flush|pause|later|retryAfterSeconds|missing)$/

/** Vite keeps white space in modules, and the names of members; it does not know that reading a member does nothing else. */
const SMALLEST = {
  compress: { treeshake: { propertyReadSideEffects: false } },
  mangle: true,
  mangleProps: { include: INTERNAL },
} as const

/** Minifies what Vite writes, after all else. */
const minifier = (module: boolean): Plugin => ({
  name: 'minifier',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    async handler(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk')
          file.code = (await minify(file.fileName, file.code, { ...SMALLEST, module })).code
    },
  },
})

const config = (
  dist: string,
  version: string,
  entry: Record<string, string>,
  format: 'es' | 'iife',
): InlineConfig => ({
  root: SDK,
  configFile: false,
  logLevel: 'error',
  define: { VERSION: JSON.stringify(version) },
  plugins: [minifier(format === 'es')],
  build: {
    ...{ outDir: dist, emptyOutDir: false, target: TARGET, reportCompressedSize: false, minify: false },
    lib: {
      entry,
      formats: [format],
      fileName: (_, name) => `${name}.${format === 'es' ? 'mjs' : 'js'}`,
      name: '_',
    },
    rolldownOptions: {
      external: ['react'],
      preserveEntrySignatures: 'allow-extension',
      output: { topLevelVar: false }, // the minifier inlines constants, not variables
    },
  },
})

const entry = (name: string, format: 'es' | 'iife') => {
  if (format === 'iife') return source(`${name}-script`)
  return source(name === 'inkling' ? 'index' : name)
}

/**
 * Builds the SDK into a folder, by default `api/sdk/dist`, which is also the npm package: modules, scripts, types, and
 * `integrity.json`, which has the value of the `integrity` attribute by file.
 */
export async function buildSdk(dist = join(SDK, 'dist')): Promise<void> {
  const { version } = JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8'))
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  await build(
    config(dist, version, Object.fromEntries(MODULES.map((name) => [name, entry(name, 'es')])), 'es'),
  )
  for (const name of SCRIPTS) await build(config(dist, version, { [name]: entry(name, 'iife') }, 'iife'))

  await writeTypes(dist)
  for (const name of ['package.json', 'README.md']) await copyFile(join(SDK, name), join(dist, name))
  await copyFile(join(SDK, '../../LICENSE'), join(dist, 'LICENSE'))
  await writeIntegrity(dist)
}

async function writeTypes(dist: string): Promise<void> {
  const tsc = join(
    dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')),
    'bin/tsc',
  )
  await promisify(execFile)(process.execPath, [tsc, '-p', join(SDK, 'tsconfig.types.json'), '--outDir', dist])
  for (const name of await readdir(dist)) {
    if (!name.endsWith('.d.ts')) continue
    if (!TYPES.test(name)) await rm(join(dist, name))
    else
      await writeFile(
        join(dist, name),
        (await readFile(join(dist, name), 'utf8')).replaceAll(".ts'", ".js'").replaceAll('.ts"', '.js"'),
      )
  }
}

async function writeIntegrity(dist: string): Promise<void> {
  const names = (await readdir(dist)).filter((name) => /\.m?js$/.test(name)).toSorted()
  const hashes = await Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha384')
        .update(await readFile(join(dist, name)))
        .digest('base64')
      return [name, `sha384-${hash}`]
    }),
  )
  await writeFile(
    join(dist, 'integrity.json'),
    `${JSON.stringify(Object.fromEntries(hashes), undefined, 2)}\n`,
  )
}
