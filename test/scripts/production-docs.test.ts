import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { webEnv } from '../../api/config.ts'
import { makeWrappingJwk } from '../../db/encryption/wrapping-keys.ts'
import { readEnv, releaseVariables } from '../../db/runtime/env.ts'
import { readProcfile } from '../../scripts/servers/procfile.ts'
import { workerEnv } from '../../worker/config.ts'
import { declared } from '../support/client.ts'
import { readAsDocker, readAsSystemd } from '../support/environment-files.ts'
import { PROJECT } from '../support/start-process.ts'

const FOLDERS = ['deploy/server', 'deploy/systemd']
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
const folderOf = (name: string) => (name.startsWith('systemd/') ? 'deploy' : 'deploy/server')
const example = (name: string) => read(`${folderOf(name)}/${name}`)

const page = read('docs/operations/server.md')
const blocksOf = (text: string) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
const commands = blocksOf(page).join('\n')

/** Paths within `deploy/server`, and from `systemd/` on. */
const examples = FOLDERS.flatMap((folder) =>
  readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(join(PROJECT, 'deploy'), join(parentPath, name)))
    .map((path) => path.replace(/^server\//, '')),
)

const DEFAULTS = readEnv(webEnv({}), { DATABASE_URL: 'postgres://localhost/inkling' })
const VARIABLES = new Set([
  'NODE_ENV',
  ...Object.keys(webEnv({}).shape),
  ...Object.keys(workerEnv({}).shape),
  ...Object.keys(releaseVariables),
])

/** The last value of a setting of a unit or of nginx. */
function settingOf(text: string, name: string): string {
  const [, value] =
    text
      .matchAll(new RegExp(`^\\s*${name}[= ]\\s*([^;\\n]*)`, 'gm'))
      .toArray()
      .at(-1) ?? []
  if (value === undefined) throw new Error(`There is no ${name}`)
  return value.trim()
}

/** Seconds of `30s`, `30` or `infinity`. */
const secondsOf = (text: string): number =>
  text === 'infinity' ? Number.POSITIVE_INFINITY : Number(/^(\d+)s?$/.exec(text)?.[1])

/** The sample with values instead of its placeholders in angle brackets. */
async function fillEnvironment(): Promise<{ text: string; signingKeys: string }> {
  const signingKeys = JSON.stringify({ keys: [await makeSigningKey()] })
  const text = example('inkling.env')
    .replace('<DATABASE_PASSWORD>', '0a1b2c')
    .replace('<REDIS_PASSWORD>', '3d4e5f')
    .replace('<TOKEN_SIGNING_KEYS>', () => signingKeys)
    .replace('<DATA_ENCRYPTION_KEYS>', () => JSON.stringify({ keys: [makeWrappingJwk()] }))
  expect(text).not.toMatch(/<\w+>/)
  return { text, signingKeys }
}

describe('docs/operations/server.md', () => {
  test('lists exactly the existing examples', () => {
    const named = [...page.matchAll(/\(\.\.\/\.\.\/deploy\/(?:server\/)?([^)]+\/[^)]+|[^)/]+)\)/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'server' && name !== 'systemd')
    expect([...new Set(named)].toSorted()).toEqual(examples.toSorted())
  })

  test('copies the examples from existing paths', () => {
    expect(commands).toContain('cd /opt/inkling/current/deploy/server\n')
    const files = [
      'redis.conf',
      'inkling.env',
      'inkling-admin',
      'nginx.conf',
      'prometheus.yml',
      'alertmanager.yml',
      '../systemd/.',
    ]
    expect(commands.split(/\s+/)).toEqual(expect.arrayContaining(files))
  })

  test('removes the history of the sources from each release', () => {
    const builds = blocksOf(page).filter((block) => block.includes('git clone'))
    expect(builds.length).toBeGreaterThan(1)
    for (const build of builds) expect(build).toMatch(/npm ci --omit=dev --ignore-scripts\n\s+rm -rf \.git\b/)
  })

  test('has commands that a shell can parse', () => {
    const scripts = [
      ...blocksOf(page),
      ...blocksOf(read('docs/operations/backup.md')),
      example('inkling-admin'),
    ]
    for (const script of scripts) execFileSync('bash', ['-n', '-c', script])
  })

  test('starts and replaces existing units, on the ports of the proxies and the checks', () => {
    const started = [...commands.matchAll(/\b(inkling-\w+@)([^\s;]+)/g)]
    for (const [, unit = ''] of started) expect(examples).toContain(`systemd/${unit}.service`)
    const instancesOf = (unit: string) => [
      ...new Set(started.filter(([, name]) => name === unit).map(([, , instance]) => instance)),
    ]
    const ports = instancesOf('inkling-web@')
    expect(ports).toHaveLength(2) // one serves while the other is replaced
    const [, upstreams = ''] = /reverse_proxy ([\d.: ]+) \{/.exec(example('Caddyfile')) ?? []
    expect(upstreams.split(' ')).toEqual(ports.map((port) => `127.0.0.1:${port}`))
    const servers = [...example('nginx.conf').matchAll(/^\s*server (127\S+) max_fails=0;/gm)].map(
      ([, at]) => at,
    )
    expect(servers).toEqual(upstreams.split(' '))
    const [, checked = ''] = /^for port in ([\d ]+); do$/m.exec(commands) ?? []
    expect(checked.split(' ')).toEqual([...ports, ...instancesOf('inkling-worker@')])
  })
})

describe('the upgrade', () => {
  const [block = ''] = blocksOf(page.slice(page.indexOf('\n## Upgrade\n')))

  /** The calls that the block makes once the command that contains `fails` has failed. */
  function callsOf(fails: string): string[] {
    const stub = `call() { echo "$1"; case "$*" in *'${fails}'*) return 1 ;; esac; }
      runuser() { case "$*" in *'npm ci'*) call build "$*" ;; *) call link "$*" ;; esac; }
      systemctl() { call "$1" "$*"; }
      curl() { :; }`
    return spawnSync('bash', ['-c', `${stub}\n${block}`], { encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n')
  }

  test('builds, migrates, links and restarts', () => {
    expect(callsOf('nothing')).toEqual(['build', 'start', 'link', ...Array(4).fill('restart')])
  })

  test('leaves what runs alone if the release cannot be built or migrated', () => {
    expect(callsOf('npm ci')).toEqual(['build'])
    expect(callsOf('start inkling-release@')).toEqual(['build', 'start'])
  })
})

describe('the environment', () => {
  test('has the same values in systemd, in a shell and, once rewritten, in docker', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'inkling-environment-'))
    try {
      const { text } = await fillEnvironment()
      const file = join(directory, 'inkling.env')
      await writeFile(file, text)
      const bySystemd = readAsSystemd(text)
      expect(bySystemd.TOKEN_SIGNING_KEYS).toMatch(/^\{"keys":\[\{".*"\}\]\}$/)

      const dump = 'set -a; . "$1"; set +a; exec "$2" -p "JSON.stringify(process.env)"'
      const { stdout } = spawnSync('sh', ['-c', dump, 'sh', file, process.execPath], {
        encoding: 'utf8',
        env: {},
      })
      expect(JSON.parse(stdout)).toMatchObject(bySystemd)

      const [, rewrite = ''] = /`(sed [^`]+) inkling\.env`/.exec(page) ?? []
      const rewritten = execFileSync('sh', ['-c', `${rewrite} "$1"`, 'sh', file], { encoding: 'utf8' })
      expect(readAsDocker(rewritten)).toEqual(bySystemd)
      expect(readAsDocker(text)).not.toEqual(bySystemd)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  test('is accepted by every process', async () => {
    const { text } = await fillEnvironment()
    const env = readAsSystemd(text)
    expect(env.NODE_ENV).toBe('production')
    const web = readEnv(webEnv(env), { ...env, PORT: '3000' })
    expect(web.TRUSTED_PROXIES).toEqual(['127.0.0.1', '::1'])
    expect(web.TOKEN_SIGNING_KEYS).toHaveLength(1)
    expect(web.DATA_ENCRYPTION_KEYS).toHaveLength(1)
    expect(readEnv(workerEnv(env), { ...env, WORKER_HEALTH_PORT: '3100' }).REDIS_URL).toBe(env.REDIS_URL)
    const ofOwner = readAsSystemd(example('release.env').replace('<OWNER_PASSWORD>', '6f7a8b'))
    const release = readEnv(z.object(releaseVariables), { ...env, ...ofOwner })
    expect(release.DATABASE_URL).toBe(env.DATABASE_URL)
    // two roles of one database, as the page creates them
    const [runtime, owner] = [release.DATABASE_URL, release.DATABASE_OWNER_URL ?? ''].map(
      (url) => new URL(url),
    )
    expect(runtime?.pathname).toBe(owner?.pathname)
    for (const { username } of [runtime, owner].filter((url) => url !== undefined))
      expect(commands).toContain(`create role ${username} login password`)
    // redis-cli sends an empty user name, which Redis rejects
    expect(URL.parse(env.REDIS_URL ?? '')?.username).toBe('default')
  })

  test('has only existing variables, as do the page and the units', async () => {
    const { text } = await fillEnvironment()
    const units = examples.filter((name) => name.endsWith('.service')).map(example)
    const named = [
      ...Object.keys(readAsSystemd(text)),
      ...units.flatMap((unit) => [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name)),
      ...[...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=\S*)?`/g)].map(([, name = '']) => name),
    ]
    expect(named.length).toBeGreaterThan(12)
    expect(named.filter((name) => !VARIABLES.has(name))).toEqual([])
  })

  test('is the file that units and inkling-admin read', () => {
    const file = settingOf(example('systemd/inkling-.service.d/common.conf'), 'EnvironmentFile')
    expect(example('inkling-admin')).toContain(`\n. ${file}\n`)
    expect(commands).toContain(`install -m 600 /dev/stdin ${file}\n`)
  })
})

describe('the units', () => {
  test.each(['release', 'web', 'worker'])('%s runs the command of the Procfile', (type) => {
    const unit = example(`systemd/inkling-${type}@.service`)
    const folder = type === 'release' ? '/opt/inkling/releases/%i' : '/opt/inkling/current'
    expect(settingOf(unit, 'WorkingDirectory')).toBe(folder)
    // systemd requires an absolute path of a program
    expect(settingOf(unit, 'ExecStart')).toBe(`${folder}/${readProcfile(PROJECT)(type)}`)
  })

  test.each(['web', 'worker'])('%s may drain for DRAIN_SECONDS before it is killed', (type) => {
    const stop = settingOf(example(`systemd/inkling-${type}@.service`), 'TimeoutStopSec')
    expect(secondsOf(stop)).toBeGreaterThan(DEFAULTS.DRAIN_SECONDS)
  })

  test('a migration has no timeout', () => {
    const start = settingOf(example('systemd/inkling-release@.service'), 'TimeoutStartSec')
    expect(secondsOf(start)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the proxies', () => {
  const nginx = example('nginx.conf')
  const caddy = example('Caddyfile')

  test('leave the body size limit to web, and document it', () => {
    expect(settingOf(nginx, 'client_max_body_size')).toBe('0')
    expect(settingOf(nginx, 'proxy_request_buffering')).toBe('off')
    expect(caddy).not.toMatch(/max_size|request_body/)
    const mebibytes = `MAX_BODY_BYTES (${DEFAULTS.MAX_BODY_BYTES / 1024 ** 2} MiB)`
    for (const text of [nginx, caddy]) expect(text).toContain(mebibytes)
  })

  test('have a longer timeout than web', () => {
    const storesMs = 10_000 // api/http/request-timeout.ts
    const answerSeconds = (DEFAULTS.INSIGHT_WAIT_MS + storesMs) / 1_000
    for (const waits of [settingOf(nginx, 'proxy_read_timeout'), settingOf(caddy, 'response_header_timeout')])
      expect(secondsOf(waits)).toBeGreaterThan(answerSeconds)
    for (const text of [nginx, caddy])
      expect(text).toContain(`INSIGHT_WAIT_MS (${DEFAULTS.INSIGHT_WAIT_MS / 1_000} s)`)
  })

  test('close idle connections before web does', () => {
    const [, idle = ''] =
      /\| an idle connection between two requests \| (\d+) s \|/.exec(read('docs/http.md')) ?? []
    for (const closes of [settingOf(nginx, 'keepalive_timeout'), settingOf(caddy, 'keepalive')])
      expect(secondsOf(closes)).toBeLessThan(Number(idle))
  })

  test('overwrite the client address headers of the client', () => {
    expect(nginx).toMatch(/^\s*proxy_set_header X-Real-IP \$remote_addr;/m)
    expect(caddy).toMatch(/^\s*header_up X-Real-IP \{remote_host\}$/m)
  })

  test('redirect pages to https, and refuse programs that send a credential without it', () => {
    const [, pattern = ''] = /^\s*location ~\* (\S+) \{ return 403; \}$/m.exec(nginx) ?? []
    const [, paths = ''] = /^\s*@pages not path (.+)$/m.exec(caddy) ?? []
    const isRefused = (path: string) =>
      paths.split(' ').some((one) => (one.endsWith('/*') ? path.startsWith(one.slice(0, -1)) : one === path))
    for (const { path } of declared.filter(({ credential }) => credential.kind !== 'none')) {
      expect(path).toMatch(new RegExp(pattern, 'i'))
      expect(isRefused(path), path).toBe(true)
    }
    for (const page of ['/', '/login', '/datasets', '/docs']) {
      expect(page).not.toMatch(new RegExp(pattern, 'i'))
      expect(isRefused(page), page).toBe(false)
    }
  })

  test('write no paths to a log, since paths contain reference numbers', () => {
    expect(settingOf(nginx, 'access_log')).toBe('off')
    expect(settingOf(nginx, 'error_log')).toMatch(/ crit$/)
    expect(caddy).toContain('\tlog {\n\t\texclude http.log.error\n\t}\n')
    expect(caddy.match(/^\s*log\b/gm)).toHaveLength(1)
  })
})

test('Redis rejects jobs when full, and loads its jobs after a restart', () => {
  const redis = example('redis.conf')
  expect(settingOf(redis, 'maxmemory-policy')).toBe('noeviction')
  expect(settingOf(redis, 'appendonly')).toBe('yes')
  expect(settingOf(redis, 'requirepass')).toBe('<REDIS_PASSWORD>')
})
