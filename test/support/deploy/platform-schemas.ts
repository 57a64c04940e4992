/**
 * The parts that our files use of the formats of Heroku, Render and Fly.io, written from their public references. No package has
 * these schemas, so they name only what we use: a member that none of the references has is an error here.
 */
import { z } from 'zod'

const text = z.string().min(1)

/** @see https://devcenter.heroku.com/articles/app-json-schema */
export const AppJson = z.strictObject({
  name: text,
  description: text,
  website: z.url(),
  keywords: z.array(text),
  stack: z.enum(['heroku-22', 'heroku-24', 'heroku-26']),
  buildpacks: z.array(z.strictObject({ url: text })),
  addons: z.array(z.string().regex(/^[\w-]+:[\w-]+$/)),
  formation: z.record(z.string(), z.strictObject({ quantity: z.int().min(0), size: text })),
  env: z.record(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    z.strictObject({
      description: text,
      value: z.string().optional(),
      required: z.boolean().optional(),
      generator: z.literal('secret').optional(),
    }),
  ),
})

const RenderVariable = z.union([
  z.strictObject({ key: text, value: text }),
  z.strictObject({ key: text, sync: z.literal(false) }),
  z.strictObject({ key: text, generateValue: z.literal(true) }),
  z.strictObject({
    key: text,
    fromDatabase: z.strictObject({ name: text, property: z.literal('connectionString') }),
  }),
  z.strictObject({
    key: text,
    fromService: z.union([
      z.strictObject({ type: z.literal('keyvalue'), name: text, property: z.literal('connectionString') }),
      z.strictObject({ type: z.enum(['web', 'worker']), name: text, envVarKey: text }),
    ]),
  }),
  z.strictObject({ fromGroup: text }),
])

const RenderProcess = z.strictObject({
  type: z.enum(['web', 'worker']),
  name: text,
  runtime: z.literal('docker'),
  plan: text,
  dockerfilePath: text,
  dockerCommand: text,
  preDeployCommand: text.optional(),
  healthCheckPath: text.optional(),
  numInstances: z.int().min(1),
  maxShutdownDelaySeconds: z.int().min(1).max(300),
  envVars: z.array(RenderVariable),
})

const RenderKeyValue = z.strictObject({
  type: z.literal('keyvalue'),
  name: text,
  plan: text,
  maxmemoryPolicy: z.literal('noeviction'), // of its eight policies, the one that loses no job
  ipAllowList: z.array(z.strictObject({ source: text, description: text })),
})

/** @see https://render.com/docs/blueprint-spec */
export const RenderBlueprint = z.strictObject({
  services: z.array(z.discriminatedUnion('type', [RenderProcess, RenderKeyValue])),
  databases: z.array(
    z.strictObject({
      name: text,
      plan: text,
      databaseName: text,
      user: text,
      postgresMajorVersion: z.enum(['15', '16', '17', '18']),
      ipAllowList: z.array(z.strictObject({ source: text, description: text })),
    }),
  ),
  // a group cannot ask for values
  envVarGroups: z.array(
    z.strictObject({ name: text, envVars: z.array(z.strictObject({ key: text, value: text })) }),
  ),
})

const duration = z.string().regex(/^\d+(ms|s|m)$/)
const check = {
  method: z.enum(['get', 'head']),
  path: z.string().startsWith('/'),
  interval: duration,
  timeout: duration,
  grace_period: duration,
}
const ports = z.int().min(1).max(65_535)

/** @see https://fly.io/docs/reference/configuration/ */
export const FlyConfig = z.strictObject({
  app: text,
  primary_region: z.string().length(3),
  kill_signal: z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL', 'SIGSTOP']),
  kill_timeout: z.int().min(1).max(300),
  build: z.strictObject({ dockerfile: text }),
  deploy: z.strictObject({
    release_command: text,
    strategy: z.enum(['canary', 'rolling', 'bluegreen', 'immediate']),
  }),
  processes: z.record(z.string(), text),
  env: z.record(z.string(), z.string()),
  services: z.array(
    z.strictObject({
      internal_port: ports,
      protocol: z.enum(['tcp', 'udp']),
      processes: z.array(text),
      auto_stop_machines: z.enum(['off', 'stop', 'suspend']),
      auto_start_machines: z.boolean(),
      ports: z.array(
        z.strictObject({
          port: ports,
          handlers: z.array(z.enum(['http', 'tls', 'proxy_proto', 'pg_tls', 'edge_http'])),
        }),
      ),
      concurrency: z.strictObject({
        type: z.enum(['connections', 'requests']),
        soft_limit: z.int(),
        hard_limit: z.int(),
      }),
      http_checks: z.array(z.strictObject(check)),
    }),
  ),
  checks: z.record(
    z.string(),
    z.strictObject({ ...check, type: z.enum(['http', 'tcp']), port: ports, processes: z.array(text) }),
  ),
  metrics: z.strictObject({ port: ports, path: z.string().startsWith('/'), processes: z.array(text) }),
  vm: z.array(
    z.strictObject({
      size: z.string().regex(/^(shared-cpu|performance)-\d+x$/),
      memory: z.string().regex(/^\d+(mb|gb)$/),
      processes: z.array(text),
    }),
  ),
})
