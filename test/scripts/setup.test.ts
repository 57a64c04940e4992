import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT } from '../support/start-process.ts'

let project: string
const file = (path: string) => join(project, path)

/**
 * A project without packages, whose installation by the real npm takes as long as a file specifies and needs no registry.
 * Like a download of npm, it is not stopped by Ctrl-C.
 */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'inkling-setup-'))
  await mkdir(file('scripts'))
  for (const name of ['setup', 'node']) await cp(join(PROJECT, 'scripts', name), file(`scripts/${name}`))
  const scripts = { preinstall: `trap '' INT; touch began; sleep "$(cat seconds)"` }
  await writeFile(file('package.json'), JSON.stringify({ name: 'one', version: '1.0.0', scripts }))
  await writeFile(
    file('package-lock.json'),
    JSON.stringify({
      ...{ name: 'one', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: { '': { name: 'one', version: '1.0.0', hasInstallScript: true } },
    }),
  )
  await mkdir(file('node_modules'))
  await writeFile(file('node_modules/.inkling-setup'), 'of an earlier install')
})
afterAll(() => rm(project, { recursive: true, force: true }))

/** Starts scripts/setup as a terminal does: Ctrl-C reaches it and its child processes. */
async function startSetup(seconds: number) {
  await writeFile(file('seconds'), String(seconds))
  return spawn(file('scripts/setup'), { detached: true })
}

test('Ctrl-C stops an installation with a message and exit code 130; the next run installs', async () => {
  const child = await startSetup(20)
  const ended = readToEnd(child)
  await expect.poll(() => existsSync(file('began')), { timeout: 30_000 }).toBe(true)
  const interruptedAt = performance.now()
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
  expect(await ended).toEqual({
    code: 130,
    stdout: '',
    stderr:
      'Installing the npm dependencies…\nInterrupted: the npm dependencies are not installed. Run it again to install them.\n',
  })
  expect(performance.now() - interruptedAt).toBeLessThan(5_000)
  expect(existsSync(file('node_modules/.inkling-setup'))).toBe(false)

  const again = await readToEnd(await startSetup(0))
  expect(again).toEqual({ code: 0, stdout: '', stderr: 'Installing the npm dependencies…\n' })
  expect(await readToEnd(await startSetup(0))).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('two at once install once', async () => {
  for (const path of ['began', 'node_modules/.inkling-setup']) await rm(file(path), { force: true })
  const first = readToEnd(await startSetup(2))
  await expect.poll(() => existsSync(file('began')), { timeout: 30_000 }).toBe(true)
  await rm(file('began'))
  expect(await readToEnd(await startSetup(2))).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: 'Waiting for another installation of the npm dependencies…\n',
  })
  expect(await first).toMatchObject({ code: 0 })
  expect(existsSync(file('began'))).toBe(false)
})
