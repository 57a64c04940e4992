import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { webEnv } from '../api/config.ts'
import { readEnv } from '../db/runtime/env.ts'
import { BuiltScorecard } from '../db/scorecards/definition/definition.ts'
import { FORMATS } from '../scripts/scorecards/import/formats.ts'
import { WorkerEnv } from '../worker/config.ts'
import { BUILT_IN_NAMES } from '../worker/scoring/pmml/functions.ts'
import { declared } from './support/client.ts'
import { PROJECT } from './support/start-process.ts'

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

/** What git has of the project, or is about to have. */
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: PROJECT,
  encoding: 'utf8',
})
  .trimEnd()
  .split('\n')
  .filter((path) => existsSync(join(PROJECT, path)))

const documents = paths.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: read(path) }))
const manifest = JSON.parse(read('package.json'))

/** The cells of a table's rows, by what its first line begins with. */
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

/** What `npm run build` makes. */
const BUILT = 'api/portal/dist'

const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

describe.each(documents)('$path', ({ path, text }) => {
  test('links to files that are there', () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const files = targets.filter((target) => !/^(https?:|#)/.test(target))
    expect(files.filter((file) => !existsSync(join(PROJECT, dirname(path), file)))).toEqual([])
  })

  test('names files of the project that are there', () => {
    const named = quoted(text).filter((code) =>
      /^[\w./-]+\.test\.ts$|^(api|db|worker|scripts|test|docs)\/[\w./-]+$/.test(code),
    )
    const isThere = (name: string) =>
      name === BUILT ||
      paths.some(
        (one) =>
          one === name ||
          one.startsWith(name.replace(/\/?$/, '/')) ||
          one.endsWith(`/${name}`) ||
          one === `test/${name}.test.ts`,
      )
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })

  test('names commands of npm and routes of the API that there are', () => {
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

  test('lists each variable of the environment with its default', () => {
    const DATABASE_URL = 'postgres://localhost/inkling'
    const defaults: Record<string, unknown> = {
      ...readEnv(webEnv({}), { DATABASE_URL }),
      ...readEnv(WorkerEnv, { DATABASE_URL }),
    }
    const rows = rowsOf(readme, '| variable | default |')
    const listed = rows.flatMap(([names = '', otherwise = '']) =>
      quoted(names).map((name) => [name, otherwise] as const),
    )
    const names = [...Object.keys(webEnv({}).shape), ...Object.keys(WorkerEnv.shape)]
    expect(listed.map(([name]) => name).toSorted()).toEqual([...new Set(names)].toSorted())
    for (const [name, otherwise] of listed) {
      const value = name === 'DATABASE_URL' ? 'required' : defaults[name]
      if (value === undefined) expect(otherwise, name).not.toMatch(/^\d|^required$/)
      else expect(otherwise, name).toBe(String(value))
    }
  })

  test('tells the commands of the Procfile', () => {
    const told = rowsOf(readme, '| process | command |').map((cells) =>
      cells.slice(0, 2).flatMap(quoted).join(': '),
    )
    expect(told).toEqual(read('Procfile').trimEnd().split('\n'))
  })

  test('says of each package that production installs why it is there', () => {
    const [, section = ''] = readme.split('## What it stands on')
    const { dependencies, devDependencies } = manifest
    const named = [
      ...quoted(section).filter((code) => !code.startsWith('/')),
      ...(/\(koa, ([^)]*)\)/.exec(section)?.[1] ?? '').split(', '),
      'koa',
    ]
    expect(named.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([])
    expect(Object.keys(dependencies).filter((name) => !named.includes(name))).toEqual([])
  })
})

describe('the guides to scorecards', () => {
  const firstColumn = (path: string, head: string) =>
    rowsOf(read(path), head).flatMap(([first = '']) => quoted(first))

  test('tell each member of a definition', () => {
    const told = ['format', ...firstColumn('docs/scorecards.md', '| member | says |')]
    expect(told.toSorted()).toEqual(Object.keys(BuiltScorecard.shape).toSorted())
  })

  test('tell each format that is imported', () => {
    // of the first row, the tool that the format is also of is no code
    expect(firstColumn('docs/imports.md', '| format | how to write it |').toSorted()).toEqual(
      Object.keys(FORMATS).toSorted(),
    )
  })

  test('list the functions of PMML that there are', () => {
    const [, list = ''] = /## Functions\n\n([\s\S]*?)\.\n\n/.exec(read('docs/pmml.md')) ?? []
    const told = list.split(/[\s,`]+/).filter(Boolean)
    expect(told.toSorted()).toEqual([...BUILT_IN_NAMES].toSorted())
  })
})

test('SECURITY.md names the tests of each door', () => {
  const proofs = rowsOf(read('SECURITY.md'), '| who | door |').flatMap((cells) => quoted(cells[3] ?? ''))
  expect(proofs.length).toBeGreaterThan(15)
  const isThere = (name: string) =>
    existsSync(join(PROJECT, 'test', name.endsWith('/') ? name : `${name}.test.ts`))
  expect(proofs.filter((name) => !isThere(name))).toEqual([])
})
