import { expect, test } from 'vitest'
import { type Folder, listTopLevel, readSourceFiles, type SourceFile } from './support/source-files.ts'

/** test → scripts → api or worker → db: what each folder may import besides itself. */
const MAY_IMPORT: Record<Folder, readonly Folder[]> = {
  db: [],
  api: ['db'],
  worker: ['db'],
  scripts: ['api', 'worker', 'db'],
  test: ['scripts', 'api', 'worker', 'db'],
}

const TOP_LEVEL = [
  ...Object.keys(MAY_IMPORT),
  ...['.ci', '.github', 'docs'],
  ...['.editorconfig', '.gitattributes', '.gitignore', '.npmrc', '.nvmrc'],
  ...[
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'NOTICE',
    'Procfile',
    'README.md',
    'RELIABILITY.md',
    'SECURITY.md',
  ],
  ...[
    'BENCHMARKS.md',
    'biome.json',
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ],
]

/** What forms check their values with, besides all `-schemas.ts`. */
const SHARED_WITH_BROWSERS = [
  'api/http/text.ts',
  'api/http/timestamp.ts',
  'api/datasets/members.ts',
  'api/http/paging.ts',
  'db/audit/audit-actions.ts',
  'api/http/parse-timestamp.ts',
]

const files = readSourceFiles()

test('source files are found, and their imports', () => {
  expect(new Set(files.map(({ folder }) => folder))).toEqual(new Set(Object.keys(MAY_IMPORT)))
  expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(files.length)
})

test('every relative import names a file that is there', () => {
  const paths = new Set(files.map(({ path }) => path))
  const dangling = files.flatMap(({ path, imports }) =>
    imports
      .filter((imported) => isSource(imported) && !paths.has(imported))
      .map((imported) => `${path} → ${imported}`),
  )
  expect(dangling).toEqual([])
})

test('imports go one way: test to scripts to api or worker to db', () => {
  const wrong = files.flatMap(({ path, folder, imports }) => {
    const allowed = new Set<string>([folder, ...MAY_IMPORT[folder]])
    return imports
      .filter((imported) => !allowed.has(imported.split('/')[0] ?? '') && imported !== 'package.json')
      .map((imported) => `${path} → ${imported}`)
  })
  expect(wrong).toEqual([])
})

test('the portal, which runs in browsers, takes from the API only what a browser can run, and gives it nothing', () => {
  const isPortal = (path: string) => path.startsWith('api/portal/')
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports.filter(isSource)]))
  const reached = new Set(files.map(({ path }) => path).filter(isPortal))
  for (const path of reached) for (const imported of importsOf.get(path) ?? []) reached.add(imported)
  const forBrowsers = (path: string) => isPortal(path) || path.endsWith('-schemas.ts')
  expect([...reached].filter((path) => !forBrowsers(path) && !SHARED_WITH_BROWSERS.includes(path))).toEqual(
    [],
  )

  const users = files.filter(({ path, folder }) => folder !== 'test' && !isPortal(path))
  expect(users.filter(({ imports }) => imports.some(isPortal)).map(({ path }) => path)).toEqual([])
})

test('no file imports itself by way of others', () => {
  expect(findCycle(files)).toBeUndefined()
})

test('only entry files, scripts and tests read the environment', () => {
  const mayRead =
    /^(scripts|test)\/|^(api|worker)\/main\.ts$|^db\/migrate\.ts$|^api\/portal\/vite\.config\.ts$/
  const readers = files.filter(({ code }) => /\bprocess\.env\b|\benv\b.*from 'node:process'/.test(code))
  expect(readers.map(({ path }) => path).filter((path) => !mayRead.test(path))).toEqual([])
})

test('only scripts write to the console', () => {
  const writers = files.filter(({ folder, code }) => folder !== 'scripts' && /\bconsole\.\w/.test(code))
  expect(writers.map(({ path }) => path)).toEqual([])
})

test('nothing is at the top of the project that is not known there', () => {
  expect(listTopLevel().filter((name) => !TOP_LEVEL.includes(name))).toEqual([])
})

const isSource = (path: string) => /\.(ts|tsx|js|mjs)$/.test(path)

/** The first circle of imports, as a readable chain. */
function findCycle(sources: readonly SourceFile[]): string | undefined {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const visit = (path: string, chain: readonly string[]): string | undefined => {
    if (chain.includes(path)) return [...chain.slice(chain.indexOf(path)), path].join(' → ')
    if (done.has(path)) return undefined
    for (const imported of importsOf.get(path) ?? []) {
      const cycle = visit(imported, [...chain, path])
      if (cycle !== undefined) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const { path } of sources) {
    const cycle = visit(path, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
