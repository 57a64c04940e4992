import { delimiter, dirname } from 'node:path'

/**
 * The environment of the demo's processes, as a PaaS would give it to them.
 *
 * What the user's own environment says of databases is left out, but for TLS of the Redis server that they named.
 */
export function serverEnvironment(options: {
  databaseUrl: string
  redisUrl: string | undefined
  ownRedis: boolean
  port: number
}): NodeJS.ProcessEnv {
  const foreign = options.ownRedis ? /^(PG|DATABASE_|REDIS_)/ : /^(PG|DATABASE_|REDIS_URL)/
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
  return {
    ...inherited,
    // first, so that the processes run on the Node that runs this
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    DATABASE_URL: options.databaseUrl,
    ...(options.redisUrl !== undefined && { REDIS_URL: options.redisUrl }),
    PORT: String(options.port),
    DRAIN_SECONDS: String(DRAIN_SECONDS),
  }
}

/** How long web and worker may finish their work after Ctrl-C. */
export const DRAIN_SECONDS = 10
