import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { declareAdmin } from '../../scripts/admin-commands/program.ts'
import { processIo } from '../../scripts/cli/command-io.ts'
import { rules } from '../support/deploy/expressions.ts'
import { readText } from '../support/deploy/files.ts'
import { readSourceFiles } from '../support/source-files.ts'
import { PROJECT } from '../support/start-process.ts'
import { openTestDatabase } from '../support/stores.ts'

const PAGE = 'docs/operations/runbooks.md'
const page = readText(PAGE)
const sections = new Map(
  page
    .split(/^#{1,2} /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n'))]),
)
const allOf = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found = '']) => found)
const blocksOf = (language: string) => allOf(new RegExp(`^ *\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\``, 'gm'))
const sources = readSourceFiles()
  .filter(({ path }) => /^(api|db|worker)\//.test(path))
  .map(({ code }) => code)
  .join('\n')

const alerts = rules.flatMap(({ alert, annotations }) => (alert === undefined ? [] : { alert, annotations }))

describe('each alert', () => {
  test.each(alerts)(
    '$alert names its section, which says what is seen, what it means and what to do',
    ({ alert, annotations }) => {
      expect(annotations.runbook).toBe(`${PAGE}#${alert.toLowerCase()}`)
      const text = sections.get(alert) ?? ''
      for (const part of ['**You see**', '**It means**', '**Do**']) expect(text).toContain(part)
    },
  )
})

test('every section says what to do', () => {
  const groups = ['Runbooks', 'Alerts', 'Faults', 'What recovers by itself']
  const silent = [...sections].filter(([name, text]) => !groups.includes(name) && !text.includes('**Do**'))
  expect(silent.map(([name]) => name)).toEqual([])
  expect(sections.size).toBeGreaterThan(25)
})

test('metrics, log lines and units exist', () => {
  const missing = (names: readonly string[], exists: (name: string) => boolean) =>
    [...new Set(names)].filter((name) => !exists(name))
  const metrics = allOf(/\b(inkling_[a-z_]+)/g).filter((name) => !/^inkling_(runtime|admin)$/.test(name))
  expect(missing(metrics, (name) => sources.includes(`'${name}'`))).toEqual([])
  expect(missing(allOf(/"msg":"([^"]+)"/g), (text) => sources.includes(`'${text}'`))).toEqual([])
  expect(missing(allOf(/"reason":"([^"]+)"/g), (text) => sources.includes(`'${text}'`))).toEqual([])
  const units = readdirSync(join(PROJECT, 'deploy/systemd'))
  expect(missing(allOf(/\b(inkling-\w+@)/g), (unit) => units.includes(`${unit}.service`))).toEqual([])
})

test('commands of inkling-admin exist, with their options', async () => {
  const program = await declareAdmin(processIo())
  const find = (command: Command | undefined, name: string) =>
    command?.commands.find((one) => one.name() === name)
  const named = allOf(/inkling-admin ([a-z][^`\n]*)/g)
  expect(named.length).toBeGreaterThan(15)
  const wrong = named.filter((words) => {
    const [group = '', name = ''] = words.split(' ')
    const command = find(find(program, group), name)
    const options = [...words.matchAll(/ (--[\w-]+)/g)].map(([, option]) => option)
    return !command || options.some((option) => !command.options.some(({ long }) => long === option))
  })
  expect(wrong).toEqual([])
})

test('the SQL runs on the tables of this version', async () => {
  const stored = await openTestDatabase()
  const client = new pg.Client(stored.ownerUrl)
  await client.connect()
  const statements = blocksOf('sql')
  expect(statements.length).toBeGreaterThan(5)
  for (const sql of statements) await client.query(sql)
  await client.end()
  await stored.drop()
})

const PROGRAMS = [
  ...['curl', 'inkling-admin', 'journalctl', 'psql', 'redis-cli', 'runuser', 'set', 'systemctl'],
  ...['df', 'du', 'tail'],
]

test('the commands can be parsed by a shell, and begin with programs that the server has', () => {
  const blocks = blocksOf('sh')
  expect(blocks.length).toBeGreaterThan(10)
  for (const block of blocks) execFileSync('bash', ['-n', '-c', block])
  const first = blocks.flatMap((block) =>
    block.split('\n').flatMap((line) => line.trim().split(/\s/)[0]?.replace(/;$/, '') || []),
  )
  expect(first.filter((name) => !PROGRAMS.includes(name))).toEqual([])
})
