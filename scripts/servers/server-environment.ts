import { delimiter, dirname } from 'node:path'

/**
 * Returns the environment of the Procfile's processes, as a PaaS would set it.
 *
 * The user's own database settings are removed, except for the TLS settings of a Redis server given by the user.
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
    // first, so that the processes run on the same Node as this one
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    DATABASE_URL: options.databaseUrl,
    ...(options.redisUrl !== undefined && { REDIS_URL: options.redisUrl }),
    PORT: String(options.port),
    DRAIN_SECONDS: String(DRAIN_SECONDS),
  }
}

/** Time that web and worker may take to finish their work after Ctrl-C. */
export const DRAIN_SECONDS = 10
