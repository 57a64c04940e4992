import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { healthCheckOfImage, readStages, settingOfImage } from '../support/deploy/dockerfile.ts'
import { readText } from '../support/deploy/files.ts'
import { linkProductionModules } from '../support/deploy/production-modules.ts'
import {
  killProcesses,
  PROJECT,
  paasEnv,
  runRelease,
  startWeb,
  startWorker,
} from '../support/start-process.ts'
import { claimRedisUrl, openTestDatabase, type TestDatabase } from '../support/stores.ts'

/** `DEPLOY=long` also runs the three commands of the build, which take minutes; otherwise their results come from this folder. */
const LONG = process.env.DEPLOY === 'long'
const SHORT_CUTS: Readonly<Record<string, (app: string) => Promise<void> | void>> = {
  'npm ci --omit=dev --ignore-scripts --no-audit --no-fund': linkProductionModules,
  'npm ci --ignore-scripts --no-audit --no-fund': (app) =>
    symlinkSync(join(PROJECT, 'node_modules'), join(app, 'node_modules')),
  'npm run build': (app) => {
    const dist = 'api/portal/dist' // of the portal, by global-setup.ts
    cpSync(join(PROJECT, dist), join(app, dist), { recursive: true })
  },
}

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

let folder: string
let app: string
let database: TestDatabase
let redisUrl: string

/** Files of a build: those that git has, without those that .dockerignore names. */
function listContext(): string[] {
  const ignored = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const list = ['ls-files', '--cached', '--others', '--exclude-standard']
  return execFileSync('git', list, { cwd: PROJECT, encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .filter((path) => existsSync(join(PROJECT, path)))
    .filter((path) => !ignored.some((glob) => matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`)))
}

/**
 * Returns a command that runs another one as a container does: as the user of the image, in a folder that cannot be written to.
 * Only root can: for other users it is the command itself.
 */
function contain(command: string): string {
  if (!isRoot) return command
  const readOnly = `mount --bind ${app} ${app} && mount -o remount,bind,ro ${app} && cd ${app}`
  const [, user = '', group = ''] = /^(\d+):(\d+)$/.exec(settingOfImage('USER')) ?? []
  return `unshare --mount sh -c '${readOnly} && exec setpriv --reuid=${user} --regid=${group} --clear-groups ${command}'`
}

/** Carries out the instructions of each stage in a folder of its own, whose `app` is `/app`. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-image-'))
  await chmod(folder, 0o755)
  const context = join(folder, 'context')
  for (const path of listContext()) cpSync(join(PROJECT, path), join(context, path), { recursive: true })

  for (const { name: stage, instructions } of readStages()) {
    app = join(folder, stage, 'app')
    mkdirSync(app, { recursive: true })
    for (const { name, value } of instructions) {
      if (name === 'RUN') {
        const shortCut = LONG ? undefined : SHORT_CUTS[value]
        if (shortCut) await shortCut(app)
        else
          await run('sh', ['-c', value], {
            cwd: app,
            env: { ...process.env, npm_config_prefer_offline: 'true' },
          })
      }
      if (name !== 'COPY') continue
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(value) ?? []
      const sources = paths.split(' ')
      const target = sources.pop() ?? ''
      for (const source of sources) {
        const path = join(from === undefined ? context : join(folder, from), source)
        const to = target.endsWith('/') && source !== '.' ? join(target, source) : target
        mkdirSync(dirname(join(app, to)), { recursive: true })
        if (from === undefined) cpSync(path, join(app, to), { recursive: true })
        else renameSync(path, join(app, to)) // no other stage copies it
      }
    }
  }

  const procfile = readText('Procfile')
  writeFileSync(
    join(app, 'Procfile'),
    procfile.replace(/^(\w+): (.*)$/gm, (_, type, command) => `${type}: ${contain(command)}`),
  )
  ;[database, redisUrl] = await Promise.all([openTestDatabase(), claimRedisUrl()])
}, 600_000)
afterAll(async () => {
  await killProcesses()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

test('the Dockerfile has no error or warning, and its files no owner but root', () => {
  const problems = validate(readText('Dockerfile')).map(
    ({ range, message }) => `${range.start.line + 1}: ${message}`,
  )
  expect(problems).toEqual([])
  expect(readText('Dockerfile')).not.toMatch(/--chown|--privileged/)
})

test('the image has what processes need: no test, no history, no package of development', () => {
  for (const path of ['.git', '.env', 'test', 'docs', 'node_modules/vite', 'node_modules/vitest'])
    expect(existsSync(join(app, path)), path).toBe(false)
})

test.runIf(isRoot)('nobody can write to it', async () => {
  await expect(run('sh', ['-c', contain('touch written')])).rejects.toThrow(/Read-only file system/)
})

test('release, web and worker run from it as another user, without writing to it', async () => {
  const { LOG_LEVEL: _, ...env } = paasEnv(
    { databaseUrl: database.url, redisUrl },
    {
      DATABASE_OWNER_URL: database.ownerUrl,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
  )
  expect(await runRelease(env, app)).toMatchObject({ code: 0 })
  const [web, worker] = await Promise.all([
    startWeb(env, app),
    startWorker({ ...env, WORKER_HEALTH_PORT: '0' }, app),
  ])
  const page = await fetch(web.url, { headers: { Accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>')

  // the health check of the image, of both kinds of process and of none
  const [program = '', ...args] = healthCheckOfImage()
  const ports = { PORT: new URL(web.url).port, WORKER_HEALTH_PORT: '' }
  const health = await worker.waitForLog('health is served')
  const check = (variables: Record<string, string>) =>
    run(program, args, { env: { ...env, ...ports, ...variables } }).then(
      () => 'healthy',
      () => 'unhealthy',
    )
  expect(await check({})).toBe('healthy')
  expect(await check({ PORT: '3000', WORKER_HEALTH_PORT: String(health.port) })).toBe('healthy')

  const endings = await Promise.all([web.end('SIGTERM'), worker.end('SIGTERM')])
  expect(endings.map(({ code }) => code)).toEqual([0, 0])
  expect(await check({})).toBe('unhealthy')
})
