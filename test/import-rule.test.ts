import { globSync } from 'node:fs'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { beforeAll, describe, expect, test } from 'vitest'
import { FOLDERS, listTopLevel, readSourceFiles } from './support/source-files.ts'
import { PROJECT } from './support/start-process.ts'

type Arrows = Readonly<Record<string, readonly string[]>>

/** test → scripts → api or worker → db: what each folder may import besides itself. */
const FOLDER_ARROWS: Arrows = {
  db: [],
  api: ['db'],
  worker: ['db'],
  scripts: ['api', 'worker', 'db'],
  test: ['scripts', 'api', 'worker', 'db'],
}

/**
 * What each room of a folder may import of that folder besides itself. Files at the folder's root put rooms together: they
 * may import all of them, and no room imports them. The tables are in order: a room imports rooms above it.
 */
const ROOM_ARROWS: Readonly<Record<string, Arrows>> = {
  db: {
    runtime: [],
    postgres: [],
    migrations: [],
    capture: [],
    roles: ['postgres'],
    audit: ['postgres'],
    encryption: ['postgres', 'audit'],
    events: ['runtime', 'postgres', 'audit', 'encryption'],
    'object-store': ['postgres', 'encryption'],
    limits: ['postgres', 'audit', 'encryption'],
    scorecards: ['postgres', 'capture', 'audit', 'events'],
    accounts: ['postgres', 'audit', 'events', 'scorecards'],
    'sign-in': ['postgres', 'audit', 'encryption', 'accounts'],
    datasets: ['postgres', 'capture', 'audit', 'encryption', 'events'],
    monitoring: ['postgres', 'events', 'datasets'],
    collections: ['postgres', 'capture', 'audit', 'encryption', 'limits', 'events', 'datasets'],
    queue: ['postgres', 'runtime', 'encryption', 'object-store', 'datasets'],
    privacy: ['postgres', 'audit', 'encryption', 'datasets'],
    checks: ['postgres', 'monitoring'],
  },
  worker: {
    features: [],
    permissions: [],
    scoring: [],
    maintenance: [],
    webhooks: [],
    fragments: ['permissions'],
    capture: ['features', 'fragments'],
    collections: [],
    batches: ['capture', 'collections', 'features', 'fragments', 'scoring'],
    monitoring: ['scoring', 'batches'],
    trials: ['scoring', 'batches'],
    health: ['batches', 'monitoring'],
  },
  scripts: {
    cli: [],
    captures: [],
    reports: [],
    servers: ['cli'],
    scorecards: ['cli'],
    'admin-commands': ['cli', 'reports', 'scorecards'],
    'release-files': ['cli'],
    'demo-steps': ['cli', 'captures', 'reports', 'servers'],
    benchmark: ['cli', 'captures', 'reports', 'scorecards', 'servers'],
    autoscaling: ['captures', 'reports', 'servers', 'benchmark'],
    'fault-suite': ['reports'],
    'capture-check': ['cli'],
    comparison: ['cli', 'captures', 'reports', 'capture-check'],
    versions: ['cli'],
    'installation-checks': ['cli'],
  },
}

/** Rooms of the worker that compute and store nothing: of `db/` they take formats only, and no package that does I/O. */
const PURE_ROOMS = 'features|fragments|permissions|scoring'

/** What forms check their values with, besides all `-schemas.ts`. */
const SHARED_WITH_BROWSERS = [
  'api/http/text.ts',
  'api/http/overlap-hours.ts',
  'api/http/timestamp.ts',
  'api/http/parse-timestamp.ts',
  'api/datasets/members.ts',
  'api/http/paging.ts',
  'db/accounts/key-scopes.ts',
  'db/audit/actor.ts',
  'db/audit/audit-actions.ts',
  'db/events/event-types.ts',
]

const TOP_LEVEL = [
  ...Object.keys(FOLDER_ARROWS),
  ...['.ci', '.github', 'deploy', 'docs'],
  // platforms look for these at the top
  ...['.dockerignore', 'Dockerfile', 'app.json', 'compose.yaml', 'fly.toml', 'render.yaml'],
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
    'knip.jsonc',
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ],
]

const within = (...paths: readonly string[]) => `^(${paths.join('|')})/`
const literal = (path: string) => path.replaceAll('.', '\\.')

/** Forbids what the arrows do not name, in a folder or, without one, at the top. */
function oneWay(arrows: Arrows, folder?: string): IForbiddenRuleType[] {
  const inFolder = (name: string) => (folder === undefined ? name : `${folder}/${name}`)
  return Object.entries(arrows).map(([name, allowed]) => ({
    name: folder === undefined ? 'folders' : `rooms of ${folder}`,
    severity: 'error',
    from: { path: within(inFolder(name)) },
    to: {
      path: folder === undefined ? within(...FOLDERS) : within(folder),
      pathNot: within(...[name, ...allowed].map(inFolder)),
    },
  }))
}

const RULES: IForbiddenRuleType[] = [
  ...oneWay(FOLDER_ARROWS),
  ...Object.entries(ROOM_ARROWS).flatMap(([folder, arrows]) => oneWay(arrows, folder)),
  {
    name: 'pure rooms',
    severity: 'error',
    from: { path: `^worker/(${PURE_ROOMS})/` },
    to: { path: within('db'), pathNot: within('db/capture', 'db/scorecards') },
  },
  {
    name: 'pure rooms',
    severity: 'error',
    from: { path: `^worker/(${PURE_ROOMS})/` },
    to: {
      path: '^(db/scorecards/[^/]+$|node_modules/(pg|knex|ioredis|bullmq|koa|pino)/|(fs|http|child_process)(/|$))',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'browsers',
    severity: 'error',
    from: { path: '^api/portal/', pathNot: '^api/portal/(vite\\.config\\.ts$|build/)' },
    to: {
      reachable: true,
      path: within(...FOLDERS),
      pathNot: [
        '^api/portal/',
        '-schemas\\.ts$',
        ...SHARED_WITH_BROWSERS.map((path) => `^${literal(path)}$`),
      ],
    },
  },
  {
    name: 'browsers',
    severity: 'error',
    from: { pathNot: within('api/portal', 'test') },
    to: { path: '^api/portal/' },
  },
  {
    name: 'sdk',
    severity: 'error',
    from: { path: '^api/sdk/src/' },
    to: { pathNot: ['^api/sdk/src/', '/node_modules/(@types/)?react/|^node_modules/(@types/)?react/'] },
  },
  {
    name: 'sdk',
    severity: 'error',
    from: { pathNot: within('api/sdk/src', 'test') },
    to: { path: '^api/sdk/src/' },
  },
  {
    name: 'client',
    severity: 'error',
    from: { path: '^api/client/src/' },
    to: { pathNot: '^api/client/src/', dependencyTypesNot: ['core'] },
  },
  { name: 'circles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'dangling',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true, pathNot: '/openapi\\.d\\.ts$' },
  },
]

let result: ICruiseResult
beforeAll(async () => {
  const { output } = await cruise([...FOLDERS], {
    baseDir: PROJECT,
    validate: true,
    ruleSet: { forbidden: RULES },
    tsPreCompilationDeps: true, // imports of types count, too
    exclude: { path: '^api/(portal|sdk|client)/dist/' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  })
  if (typeof output === 'string') throw new Error(output)
  result = output
})

/** Imports that break a rule; for each file that is imported, one of the shortest ways to it. */
function violationsOf(name: string): string[] {
  const paths = result.summary.violations
    .filter(({ rule }) => rule.name === name)
    .map(({ from, to, cycle, via }) => [from, ...(cycle ?? via ?? [{ name: to }]).map(({ name }) => name)])
    .toSorted((a, b) => a.length - b.length)
  const shortest = Map.groupBy(paths, (path) => path.at(-1))
  return [...shortest.values()].flatMap((all) =>
    all.filter(({ length }) => length === all[0]?.length).map((path) => path.join(' → ')),
  )
}

test('all source files are found, and their imports', () => {
  const paths = readSourceFiles().map(({ path }) => path)
  const found = new Map(result.modules.map(({ source, dependencies }) => [source, dependencies]))
  expect(paths.filter((path) => !found.has(path))).toEqual([])
  expect(paths.flatMap((path) => found.get(path) ?? []).length).toBeGreaterThan(paths.length)
})

test('every import names a file or a package that is there', () => {
  expect(violationsOf('dangling')).toEqual([])
})

test('imports go one way: test to scripts to api or worker to db', () => {
  expect(violationsOf('folders')).toEqual([])
})

describe.each(Object.entries(ROOM_ARROWS))('rooms of %s', (folder, arrows) => {
  test('are those of the table, each below what it imports', () => {
    const onDisk = globSync(`${folder}/*/`, { cwd: PROJECT }).map((path) => path.split(/[\\/]/)[1] ?? path)
    expect(onDisk.filter((room) => room !== 'help').toSorted()).toEqual(Object.keys(arrows).toSorted())
    const names = Object.keys(arrows)
    for (const [at, room] of names.entries())
      for (const imported of arrows[room] ?? []) expect(names.slice(0, at), room).toContain(imported)
  })

  test('import each other as the table says', () => {
    expect(violationsOf(`rooms of ${folder}`)).toEqual([])
  })
})

test('features, fragments, permissions and scores are computed without stores', () => {
  expect(violationsOf('pure rooms')).toEqual([])
})

test('the portal, which runs in browsers, takes from the API only what a browser can run, and gives it nothing', () => {
  expect(violationsOf('browsers')).toEqual([])
})

test('the capture SDK, which runs in the pages of others, imports only itself, and nothing of ours imports it', () => {
  expect(violationsOf('sdk')).toEqual([])
})

test('the client package, which runs in the backends of others, imports only itself and modules of Node.js', () => {
  expect(violationsOf('client')).toEqual([])
})

test('no file imports itself by way of others', () => {
  expect(violationsOf('circles')).toEqual([])
})

test('only entry files, scripts and tests read the environment', () => {
  const mayRead =
    /^(scripts|test)\/|^(api|worker)\/main\.ts$|^db\/migrate\.ts$|^api\/portal\/vite\.config\.ts$/
  const readers = readSourceFiles().filter(({ code }) =>
    /\bprocess\.env\b|\benv\b.*from 'node:process'/.test(code),
  )
  expect(readers.map(({ path }) => path).filter((path) => !mayRead.test(path))).toEqual([])
})

test('only scripts write to the console', () => {
  const writers = readSourceFiles().filter(
    ({ path, code }) => !path.startsWith('scripts/') && /\bconsole\.\w/.test(code),
  )
  expect(writers.map(({ path }) => path)).toEqual([])
})

test('nothing is at the top of the project that is not known there', () => {
  expect(listTopLevel().filter((name) => !TOP_LEVEL.includes(name))).toEqual([])
})
