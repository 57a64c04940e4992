import { z } from 'zod'
import { isNetwork } from './networks.ts'
import { parseRedisUrl, RedisUrlError } from './redis-url.ts'
import { findUnencryptedStores } from './require-tls.ts'

/** An invalid environment; the message names every invalid variable. */
export class EnvError extends Error {
  override name = 'EnvError'
}

/** A whole number within bounds. */
export const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be from ${from} to ${to}`)

/** A whole number within bounds, with a default. */
export const integer = (options: { from: number; to: number; default: number }) =>
  wholeNumber(options.from, options.to).default(options.default)

const url = (schemes: string[]) =>
  z.string().refine(
    (value) => {
      const parsed = URL.parse(value)
      return parsed !== null && schemes.includes(parsed.protocol.slice(0, -1))
    },
    `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

/** A URL of Postgres. */
export const databaseUrl = url(['postgres', 'postgresql'])

/** A URL of Redis: of a server, a cluster, or sentinels. */
const redisUrl = z.string().superRefine((value, context) => {
  try {
    parseRedisUrl(value)
  } catch (error) {
    if (!(error instanceof RedisUrlError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
})

/** PEM text; a PaaS often stores it in one line with `\n` written out. */
const pem = z
  .string()
  .transform((value) => value.replaceAll('\\n', '\n'))
  .refine((value) => value.includes('-----BEGIN CERTIFICATE-----'), 'must be a certificate in PEM format')

/** Addresses or networks in CIDR notation, separated by commas. */
export const networkList = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  )
  .refine(
    (entries) => entries.every(isNetwork),
    'must be addresses or networks such as 10.0.0.0/8, separated by commas',
  )

const tls = z.enum(['off', 'unverified', 'verified'])

/** Variables of the connection to Postgres. */
export const databaseVariables = {
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_POOL_MAX: integer({ from: 2, to: 500, default: 10 }),
  DATABASE_TLS: tls.optional(),
  DATABASE_CA: pem.optional(),
}

/** Variables of the release process: with both URLs, tables belong to the role of the second one. */
export const releaseVariables = {
  ...databaseVariables,
  DATABASE_OWNER_URL: databaseUrl.optional(),
}

/** Variables that web and worker processes share. */
export const processVariables = {
  ...databaseVariables,
  REDIS_URL: redisUrl.optional(),
  REDIS_TLS: tls.optional(),
  REDIS_CA: pem.optional(),
  QUEUE_SHARDS: integer({ from: 1, to: 16, default: 4 }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SECURITY_LOG: z.enum(['ids', 'names']).default('ids'),
  DRAIN_SECONDS: integer({ from: 1, to: 3_600, default: 20 }),
}

/**
 * Reads the configuration of a process from its environment. An empty variable counts as absent. In production, stores on other
 * machines need TLS, or a variable that says `off`.
 *
 * @throws EnvError that names every invalid variable and its error, never its value.
 */
export function readEnv<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = schema.safeParse(set)
  const errors = (result.error?.issues ?? []).map((issue) => {
    const variable = issue.path.join('.')
    return `  ${variable}: ${issue.code === 'invalid_type' && issue.message.startsWith('Invalid') ? 'is required' : issue.message}`
  })
  if (set.NODE_ENV === 'production')
    for (const [variable, error] of Object.entries(findUnencryptedStores(set)))
      errors.push(`  ${variable}: ${error}`)
  if (result.success && errors.length === 0) return result.data
  throw new EnvError(`The environment is not usable:\n${[...new Set(errors)].join('\n')}`)
}

/** As `readEnv`, for an entry file: prints the error and exits. */
export function readEnvOrExit<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  try {
    return readEnv(schema, env)
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
