import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findProgram } from '../support/find-program.ts'
import { PROJECT } from '../support/start-process.ts'

const analyze = findProgram(['systemd-analyze'])
const UNITS = ['inkling-web@3000.service', 'inkling-worker@3100.service', 'inkling-release@one.service']
/** Of 10 exposures at most, tenths: systemd calls less than 3 good. The units have 1.3. */
const MOST_EXPOSURE = 15

let folder: string

/** Copies of the units, with the programs of this folder instead of those of an installation. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inkling-units-'))
  cpSync(join(PROJECT, 'deploy/systemd'), folder, { recursive: true })
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.service'))) {
    const unit = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), unit.replaceAll(/\/opt\/inkling\/(current|releases\/%i)/g, PROJECT))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  spawnSync(analyze ?? '', args, {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:`, SYSTEMD_COLORS: '0' },
  })

test.skipIf(analyze === undefined)('systemd knows every setting of the units', () => {
  const { status, stderr } = run('verify', '--man=no', ...UNITS)
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test.skipIf(analyze === undefined)('a unit that is broken into can do little', () => {
  for (const unit of UNITS) {
    const { status, stdout } = run(
      'security',
      '--offline=true',
      '--no-pager',
      `--threshold=${MOST_EXPOSURE}`,
      unit,
    )
    expect(status, stdout).toBe(0)
  }
})
