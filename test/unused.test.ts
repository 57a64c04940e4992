import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PROJECT } from './support/start-process.ts'

test('no file, export or package is unused', async () => {
  const args = ['--no-progress', '--reporter', 'compact', '--no-exit-code']
  const { stdout } = await promisify(execFile)(join(PROJECT, 'node_modules/.bin/knip'), args, {
    cwd: PROJECT,
  })
  expect(stdout).toBe('')
})
