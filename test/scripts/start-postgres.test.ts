import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { findCommandLine } from '../../scripts/servers/find-command-line.ts'
import { startPostgres } from '../../scripts/servers/start-postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'inkling-postgres-test-'))
chmodSync(directory, 0o711)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('data survives a restart', async () => {
  const first = await startPostgres({ directory })
  await query(first.url('postgres'), 'create table kept as select 42 as answer')
  await first.stop()
  const second = await startPostgres({ directory })
  expect(await query(second.url('postgres'), 'select answer from kept')).toEqual([{ answer: 42 }])
  await second.stop()
})

test('a data directory in use is rejected and its owner is not affected', async () => {
  const first = await startPostgres({ directory })
  await expect(startPostgres({ directory })).rejects.toThrow(`in use by process ${process.pid}`)
  expect(await query(first.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
  await first.stop()
})

test('Postgres stops soon after its owner is killed', async () => {
  const code = `
    const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('../../scripts/servers/start-postgres.ts'))})
    await startPostgres({ directory: ${JSON.stringify(directory)} })
    process.stdout.write('started')`
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(owner.stdout, 'data')
  const pid = Number.parseInt(readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8'), 10)
  expect(findCommandLine(pid)).toContain(directory)
  owner.kill('SIGKILL')
  await expect.poll(() => findCommandLine(pid), { timeout: 10_000 }).toBeUndefined()
})

test('an aborted start leaves nothing behind, and the next start initialises a new cluster', async () => {
  const other = join(directory, 'aborted')
  const abort = new AbortController()
  const starting = startPostgres({ directory: other, signal: abort.signal })
  await expect.poll(() => existsSync(join(other, 'supervisor.json')), { interval: 10 }).toBe(true)
  await setTimeout(200) // while initdb is running
  abort.abort(new Error('no longer wanted'))
  await expect(starting).rejects.toThrow('no longer wanted')
  const { supervisor } = JSON.parse(readFileSync(join(other, 'supervisor.json'), 'utf8'))
  expect(findCommandLine(supervisor)).toBeUndefined()
  const server = await startPostgres({ directory: other })
  await server.stop()
})

test('data of another Postgres version is rejected with advice', async () => {
  const other = join(directory, 'old')
  mkdirSync(other)
  chmodSync(other, 0o711)
  const made = await startPostgres({ directory: other })
  await made.stop()
  writeFileSync(join(other, 'cluster', 'PG_VERSION'), '12\n')
  await expect(startPostgres({ directory: other })).rejects.toThrow(
    /was created by Postgres 12, but this is \d+\. Delete it/,
  )
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
