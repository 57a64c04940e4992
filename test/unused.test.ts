import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PROJECT } from './support/start-process.ts'

test('no file, export or package is unused', async () => {
  const args = ['knip', '--no-progress', '--reporter', 'compact', '--no-exit-code']
  const { stdout } = await promisify(execFile)('npx', ['--no-install', ...args], { cwd: PROJECT })
  expect(stdout).toBe('')
})
