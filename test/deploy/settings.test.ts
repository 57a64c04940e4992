import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { webEnv } from '../../api/config.ts'
import { makeWrappingJwk } from '../../db/encryption/wrapping-keys.ts'
import { readEnv, releaseVariables } from '../../db/runtime/env.ts'
import { readProcfile } from '../../scripts/servers/procfile.ts'
import { workerEnv } from '../../worker/config.ts'
import { settingOfImage } from '../support/deploy/dockerfile.ts'
import {
  manifests,
  readAppJson,
  readCompose,
  readFly,
  readRender,
  readText,
} from '../support/deploy/files.ts'
import { AppJson, FlyConfig, RenderBlueprint } from '../support/deploy/platform-schemas.ts'
import { readAsSystemd } from '../support/environment-files.ts'
import { PROJECT } from '../support/start-process.ts'

type Env = Readonly<Record<string, string>>

const fly = FlyConfig.parse(readFly())
const app = AppJson.parse(readAppJson())
const render = RenderBlueprint.parse(readRender())
const compose = readCompose()
const renderProcesses = render.services.filter((service) => service.type !== 'keyvalue')
const containers = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
const configMap = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
const ofImage = Object.fromEntries(
  settingOfImage('ENV')
    .split(' ')
    .map((pair) => pair.split('=')),
)

const commands: readonly (readonly [where: string, type: string, command: string | undefined])[] = [
  ['the image', 'web', JSON.parse(settingOfImage('CMD')).join(' ')],
  ...['release', 'web', 'worker'].map(
    (type) => ['compose.yaml', type, String(compose.services[type]?.command)] as const,
  ),
  ...containers.map(({ name, command }) => ['Kubernetes', name, command.join(' ')] as const),
  ...renderProcesses.map(({ type, dockerCommand }) => ['render.yaml', type, dockerCommand] as const),
  ['render.yaml', 'release', renderProcesses.find(({ type }) => type === 'web')?.preDeployCommand],
  ...Object.entries(fly.processes).map(([type, command]) => ['fly.toml', type, command] as const),
  ['fly.toml', 'release', fly.deploy.release_command],
]

test('every file starts the commands of the Procfile', () => {
  expect(commands).toHaveLength(1 + 3 + 3 + 3 + 3)
  const command = readProcfile(PROJECT)
  for (const [where, type, started] of commands) expect(started, `${type} of ${where}`).toBe(command(type))
  expect(Object.keys(app.formation)).toEqual(['web', 'worker']) // of Heroku, which reads the Procfile
})

/** Values that the operator supplies, or the platform generates. */
const SECRETS: Env = {
  DATABASE_URL: 'postgres://inkling_runtime:0a1b@postgres.example:5432/inkling',
  DATABASE_OWNER_URL: 'postgres://inkling:2c3d@postgres.example:5432/inkling',
  REDIS_URL: 'redis://default:4e5f@redis.example:6379/0',
  TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await makeSigningKey()] }),
  DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [makeWrappingJwk()] }),
  PUBLIC_URL: 'https://inkling.example',
  AUTOSCALE_TOKEN: randomBytes(32).toString('base64'), // as Render generates it
}

/** Output of create-env, as Compose reads it. */
const dotEnv = readAsSystemd(
  execFileSync(join(PROJECT, 'deploy/compose/create-env'), ['inkling.example'], {
    cwd: PROJECT,
    env: { ...process.env, INKLING_ADMIN: join(PROJECT, 'scripts/admin') },
    encoding: 'utf8',
  }),
)

/** The environment of a service with the values of .env, as Compose interpolates them. */
const interpolate = (env: Env = {}): Env =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, variable, kind, otherwise) => {
        const known = dotEnv[variable]
        if (known !== undefined) return known
        if (kind === '-') return otherwise
        throw new Error(`create-env prints no ${variable}`)
      }),
    ]),
  )

const pick = (names: readonly string[]): Env =>
  Object.fromEntries(names.flatMap((name) => (SECRETS[name] === undefined ? [] : [[name, SECRETS[name]]])))

const renderGroup = render.envVarGroups.flatMap(({ envVars }) => envVars)
const renderEnv = (type: string): Env => ({
  ...Object.fromEntries(renderGroup.map(({ key, value }) => [key, value])),
  ...pick(
    renderProcesses
      .filter((one) => one.type === type)
      .flatMap(({ envVars }) => envVars.flatMap((one) => ('key' in one ? [one.key] : []))),
  ),
})
const herokuEnv: Env = {
  ...pick([...Object.keys(app.env), 'DATABASE_URL', 'REDIS_URL']), // those of the add-ons
  ...Object.fromEntries(
    Object.entries(app.env).flatMap(([name, { value }]) => (value ? [[name, value]] : [])),
  ),
}
const kubernetesEnv = (name: string): Env => {
  const { env = [] } = containers.find((one) => one.name === name) ?? {}
  const values = Object.fromEntries(env.flatMap((one) => (one.value ? [[one.name, one.value]] : [])))
  return { ...(name === 'release' ? pick(env.map((one) => one.name)) : SECRETS), ...configMap, ...values }
}

const environments: Readonly<Record<string, (type: string) => Env>> = {
  'compose.yaml': (type) => ({ ...ofImage, ...interpolate(compose.services[type]?.environment) }),
  Kubernetes: (type) => ({ ...ofImage, ...kubernetesEnv(type) }),
  'render.yaml': (type) => ({ ...ofImage, ...renderEnv(type === 'release' ? 'web' : type) }),
  'fly.toml': () => ({ ...ofImage, ...SECRETS, ...fly.env }),
  'app.json': () => herokuEnv,
}

describe.each(Object.entries(environments))('the environment of %s', (_, environmentOf) => {
  test('is accepted by release, web and worker', () => {
    const [release, web, worker] = ['release', 'web', 'worker'].map(environmentOf)
    expect(web?.NODE_ENV).toBe('production')
    readEnv(z.object(releaseVariables), { ...release })
    const { TOKEN_SIGNING_KEYS, AUTOSCALE_TOKEN } = readEnv(webEnv({ ...web }), { ...web })
    expect(TOKEN_SIGNING_KEYS).toHaveLength(1)
    expect(AUTOSCALE_TOKEN).toBeDefined()
    expect(readEnv(workerEnv({ ...worker }), { ...worker }).DATA_ENCRYPTION_KEYS).toHaveLength(1)
  })
})

test('each variable in a file exists', () => {
  const known = new Set([
    'NODE_ENV',
    ...[webEnv({}).shape, workerEnv({}).shape, releaseVariables].flatMap(Object.keys),
  ])
  const kubernetesPage = readText('docs/operations/kubernetes.md')
  const named = [
    ...Object.keys(ofImage),
    ...['release', 'web', 'worker'].flatMap((type) => Object.keys(compose.services[type]?.environment ?? {})),
    ...Object.keys(configMap),
    ...containers.flatMap(({ env = [] }) => env.map(({ name }) => name)),
    ...[...kubernetesPage.matchAll(/--from-literal="?(\w+)=/g)].map(([, name = '']) => name),
    ...renderGroup.map(({ key }) => key),
    ...renderProcesses.flatMap(({ envVars }) => envVars.flatMap((one) => ('key' in one ? [one.key] : []))),
    ...Object.keys(fly.env),
    ...[...readText('docs/operations/paas.md').matchAll(/\b([A-Z]+(?:_[A-Z]+)+)=/g)].map(
      ([, name = '']) => name,
    ),
    ...Object.keys(app.env),
  ]
  expect(named.length).toBeGreaterThan(40)
  expect([...new Set(named.filter((name) => !known.has(name)))]).toEqual([])
})

test('only release knows the URL of the owner, where the platform lets processes differ', () => {
  for (const type of ['web', 'worker']) {
    expect(compose.services[type]?.environment).not.toHaveProperty('DATABASE_OWNER_URL')
    expect(JSON.stringify(compose.services[type])).not.toContain('OWNER_PASSWORD')
  }
  const withOwner = containers.filter(({ env = [] }) => env.some(({ name }) => name === 'DATABASE_OWNER_URL'))
  expect(withOwner.map(({ name }) => name)).toEqual(['release'])
})

test('a process may drain for DRAIN_SECONDS before it is killed', () => {
  const { DRAIN_SECONDS } = readEnv(webEnv({}), { DATABASE_URL: 'postgres://localhost/inkling' })
  const seconds = [
    ...['web', 'worker'].map((type) => Number.parseInt(compose.services[type]?.stop_grace_period ?? '', 10)),
    ...renderProcesses.map(({ maxShutdownDelaySeconds }) => maxShutdownDelaySeconds),
    fly.kill_timeout,
    ...manifests
      .filter(({ kind }) => kind === 'Deployment')
      // web waits for 5 s before it gets SIGTERM
      .map(
        ({ metadata, spec }) =>
          (spec?.template?.spec.terminationGracePeriodSeconds ?? 30) - (metadata.name === 'web' ? 5 : 0),
      ),
  ]
  expect(seconds).toHaveLength(2 + 2 + 1 + 2)
  for (const one of seconds) expect(one).toBeGreaterThan(DRAIN_SECONDS)
})
