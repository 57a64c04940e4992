import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataDirectory } from '../../scripts/demo-steps/data-directory.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT } from '../support/start-process.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'inkling-data-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const reuse = { fresh: false }
const fresh = { fresh: true }

/** A directory with these files, each with `contents` or its own path as content. */
function aDirectory(name: string, files: readonly string[], contents?: string): string {
  const path = join(directory, name)
  mkdirSync(path)
  for (const file of files) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), contents ?? file)
  }
  return path
}

const CREDENTIALS = JSON.stringify({
  subscription: { id: 1, name: 'demo-1' },
  login: { userEmail: 'admin-1@demo.example', password: 'secret' },
  role: 'admin',
  uploaderKey: 'ink_1',
  requesterKey: 'ink_2',
})

describe('the data directory of the demo', () => {
  test('can be new, at any depth, or empty; it is then marked, and --fresh deletes its contents', async () => {
    for (const path of [join(directory, 'new/and/deep'), aDirectory('empty', [])]) {
      const data = await openDataDirectory(path, reuse)
      writeFileSync(data.credentials, CREDENTIALS)
      writeFileSync(data.log('web'), 'listening')
      await openDataDirectory(path, reuse)
      expect(readFileSync(data.log('web'), 'utf8')).toBe('listening')
      await openDataDirectory(path, fresh)
      expect(readdirSync(path)).not.toContain('credentials.json')
      expect(readdirSync(join(path, 'logs'))).toEqual([])
    }
  })

  test('is recognised without the mark by the credentials of the demo, also next to benchmark data', async () => {
    const earlier = aDirectory('earlier', ['credentials.json'], CREDENTIALS)
    const benchmark = aDirectory('benchmark', ['bench/uploads.ndjson'])
    for (const path of [earlier, benchmark]) {
      await openDataDirectory(path, reuse)
      expect(readdirSync(path)).toContain('.inkling-demo')
    }
    expect(readFileSync(join(earlier, 'credentials.json'), 'utf8')).toBe(CREDENTIALS)
  })

  test.each([
    ['credentials.json', ['credentials.json']],
    ['directories', ['logs/own.log', 'redis/dump.rdb', 'postgres/PG_VERSION']],
    ['other files', ['thesis.txt']],
  ])('is rejected if it contains foreign %s, which are left unchanged', async (name, files) => {
    for (const options of [reuse, fresh]) {
      const path = aDirectory(`foreign ${name} ${options.fresh}`, files)
      const before = readdirSync(path, { recursive: true })
      await expect(openDataDirectory(path, options)).rejects.toThrow(
        /^The directory .* contains files that do not belong to scripts\/demo\. Choose an empty or new directory with --data/,
      )
      expect(readdirSync(path, { recursive: true })).toEqual(before)
      for (const file of files) expect(readFileSync(join(path, file), 'utf8')).toBe(file)
    }
  })

  test('is rejected immediately with a message if it cannot be created or written', async () => {
    const file = join(aDirectory('with a file', ['file']), 'file')
    for (const path of [file, join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/x/y'] : [])])
      await expect(openDataDirectory(path, reuse), path).rejects.toThrow(
        /^(Cannot create the|The data) directory .* Choose/,
      )
    if (process.getuid?.() === 0) return // root can write everywhere
    const locked = aDirectory('locked', [])
    chmodSync(locked, 0o500)
    await expect(openDataDirectory(locked, reuse)).rejects.toThrow(/cannot be used: EACCES.* Choose another/)
  })
})

test.each(['demo', 'bench'])('scripts/%s rejects an empty --data', async (name) => {
  const cwd = aDirectory(`current ${name}`, ['postgres/own'])
  const args = ['--data', '', name === 'demo' ? '--fresh' : '--quick']
  const { code, stderr } = await readToEnd(spawn(join(PROJECT, 'scripts', name), args, { cwd }))
  expect(code).toBe(1)
  expect(stderr).toContain("option '--data <directory>' argument '' is invalid. It must name a directory.")
  expect(readdirSync(cwd, { recursive: true })).toEqual(['postgres', 'postgres/own'])
})

test('scripts/bench does not touch a directory with other files', async () => {
  const path = aDirectory('foreign bench', ['postgres/own'])
  const args = ['--quick', '--only', 'score', '--data', path]
  const { code, stderr } = await readToEnd(spawn(join(PROJECT, 'scripts/bench'), args))
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^The directory .* do not belong to scripts\/bench\./),
  })
  expect(readdirSync(path, { recursive: true })).toEqual(['postgres', 'postgres/own'])
})
