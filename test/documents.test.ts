import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { webEnv } from '../api/config.ts'
import { readEnv, releaseVariables } from '../db/runtime/env.ts'
import { BuiltScorecard } from '../db/scorecards/definition/definition.ts'
import { FORMATS } from '../scripts/scorecards/import/formats.ts'
import { workerEnv } from '../worker/config.ts'
import { BUILT_IN_NAMES } from '../worker/scoring/pmml/functions.ts'
import { declared } from './support/client.ts'
import { PROJECT } from './support/start-process.ts'

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

/** Files that git tracks, or would add. */
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: PROJECT,
  encoding: 'utf8',
})
  .trimEnd()
  .split('\n')
  .filter((path) => existsSync(join(PROJECT, path)))

const documents = paths.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: read(path) }))
const manifest = JSON.parse(read('package.json'))

/** The cells of a table's rows, found by the beginning of its first line. */
function rowsOf(text: string, head: string): string[][] {
  const [, table = ''] = text.split(head)
  const lines = table.split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(0, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The outputs of builds. */
const BUILT = ['api/portal/dist', 'api/sdk/dist', 'api/client/dist']

const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

describe.each(documents)('$path', ({ path, text }) => {
  test('links to files and headings that exist', () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const broken = targets.filter((target) => {
      if (/^https?:/.test(target)) return false
      const [name = '', anchor] = target.split('#')
      const file = name === '' ? join(PROJECT, path) : join(PROJECT, dirname(path), name)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).has(anchor))
    })
    expect(broken).toEqual([])
  })

  test('names files of the project that exist', () => {
    const named = quoted(text).filter((code) =>
      /^[\w./-]+\.test\.ts$|^(api|db|worker|scripts|test|docs)\/[\w./-]+$/.test(code),
    )
    const exists = (name: string) =>
      BUILT.includes(name) ||
      paths.some(
        (one) =>
          one === name ||
          one.startsWith(name.replace(/\/?$/, '/')) ||
          one.endsWith(`/${name}`) ||
          one === `test/${name}.test.ts`,
      )
    expect(named.filter((name) => !exists(name))).toEqual([])
  })

  test('names npm commands and API routes that exist', () => {
    const scripts = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(scripts.filter((name) => manifest.scripts[name] === undefined)).toEqual([])

    const asPattern = (route: string) => route.replace(/\{(\w+)\}/g, ':$1').replace(/\/:\w+/g, '/:')
    const routes = new Set(declared.map((one) => asPattern(`${one.method.toUpperCase()} ${one.path}`)))
    const named = quoted(text).filter((code) => /^(GET|POST|PUT|PATCH|DELETE) \/[\w/.:{}-]+$/.test(code))
    expect(named.filter((code) => !routes.has(asPattern(code)))).toEqual([])
  })
})

describe('README.md', () => {
  const readme = read('README.md')

  test('has at most 80 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(80)
  })

  test('lists each folder of db and worker', () => {
    const listed = rowsOf(readme, '| folder | contents |').flatMap(([folders = '']) => quoted(folders))
    const inside = (folder: string) =>
      readdirSync(join(PROJECT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${folder}/${name}/`)
    expect(listed.filter((name) => /^(db|worker)\/./.test(name)).toSorted()).toEqual(
      [...inside('db'), ...inside('worker')].toSorted(),
    )
  })
})

test('docs/architecture.md lists at most 20 files from upload to insight', () => {
  const files = rowsOf(read('docs/architecture.md'), '| | file | role |')
  expect(files.length).toBeGreaterThan(10)
  expect(files.length).toBeLessThanOrEqual(20)
})

describe('docs/operations', () => {
  test('lists each variable of the environment with its default', () => {
    const DATABASE_URL = 'postgres://localhost/inkling'
    const defaults: Record<string, unknown> = {
      ...readEnv(webEnv({}), { DATABASE_URL }),
      ...readEnv(workerEnv({}), { DATABASE_URL }),
    }
    const rows = rowsOf(read('docs/operations/variables.md'), '| variable | default |')
    const listed = rows.flatMap(([names = '', otherwise = '']) =>
      quoted(names).map((name) => [name, otherwise] as const),
    )
    const names = [webEnv({}).shape, workerEnv({}).shape, releaseVariables].flatMap(Object.keys)
    expect(listed.map(([name]) => name).toSorted()).toEqual([...new Set(names)].toSorted())
    for (const [name, otherwise] of listed) {
      const value = name === 'DATABASE_URL' ? 'required' : defaults[name]
      if (value === undefined) expect(otherwise, name).not.toMatch(/^\d|^required$/)
      else expect(otherwise, name).toBe(String(value))
    }
  })

  test('lists the commands of the Procfile', () => {
    const listed = rowsOf(read('docs/operations/README.md'), '| process | command |').map((cells) =>
      cells.slice(0, 2).flatMap(quoted).join(': '),
    )
    expect(listed).toEqual(read('Procfile').trimEnd().split('\n'))
  })
})

test('docs/dependencies.md gives a reason for each package that production installs', () => {
  const text = read('docs/dependencies.md')
  const { dependencies, devDependencies } = manifest
  const named = [
    ...quoted(text).filter((code) => !code.startsWith('/')),
    ...(/\(koa, ([^)]*)\)/.exec(text)?.[1] ?? '').split(', '),
    'koa',
  ]
  expect(named.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([])
  expect(Object.keys(dependencies).filter((name) => !named.includes(name))).toEqual([])
})

describe('the guides to scorecards', () => {
  const firstColumn = (path: string, head: string) =>
    rowsOf(read(path), head).flatMap(([first = '']) => quoted(first))

  test('list each member of a definition', () => {
    const listed = ['format', ...firstColumn('docs/scorecards.md', '| member | meaning |')]
    expect(listed.toSorted()).toEqual(Object.keys(BuiltScorecard.shape).toSorted())
  })

  test('list each format that can be imported', () => {
    // the second tool of the first row is not in backquotes
    expect(firstColumn('docs/imports.md', '| format | how to export it |').toSorted()).toEqual(
      Object.keys(FORMATS).toSorted(),
    )
  })

  test('list the supported functions of PMML', () => {
    const [, list = ''] = /## Functions\n\n([\s\S]*?)\.\n\n/.exec(read('docs/pmml.md')) ?? []
    const listed = list.split(/[\s,`]+/).filter(Boolean)
    expect(listed.toSorted()).toEqual([...BUILT_IN_NAMES].toSorted())
  })
})

test('SECURITY.md names the tests of each attack', () => {
  const proofs = rowsOf(read('SECURITY.md'), '| attacker | entry point |').flatMap((cells) =>
    quoted(cells[3] ?? ''),
  )
  expect(proofs.length).toBeGreaterThan(15)
  const exists = (name: string) =>
    existsSync(join(PROJECT, 'test', name.endsWith('/') ? name : `${name}.test.ts`))
  expect(proofs.filter((name) => !exists(name))).toEqual([])
})
