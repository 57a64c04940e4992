/** The web process: the API on PORT, until SIGTERM or SIGINT. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pino } from 'pino'
import { databaseOptions, openDatabase } from '../db/database.ts'
import { readEnvOrExit } from '../db/env.ts'
import { requireMigrated } from '../db/migrate-database.ts'
import { openBell, queueLocation } from '../db/queue.ts'
import { loadSigningKeys, openTokens } from './account/tokens.ts'
import { buildApp } from './app.ts'
import { webEnv } from './config.ts'

const env = readEnvOrExit(webEnv(process.env), process.env)
const log = pino({ level: env.LOG_LEVEL })
const database = databaseOptions(env)
const db = openDatabase(database)
const bell = openBell(queueLocation(database, env), (err) => log.warn({ err }, 'queue connection'))

await requireMigrated(db, log)
const tokens = await openTokens(await loadSigningKeys(db, env.TOKEN_SIGNING_KEYS), env.TOKEN_TTL_MINUTES)
const app = buildApp(
  { db, bell, tokens, log },
  {
    maxBodyBytes: env.MAX_BODY_BYTES,
    insightWaitMs: env.INSIGHT_WAIT_MS,
    trustedProxies: env.TRUSTED_PROXIES,
  },
)
const server = createServer(
  // kept longer than a load balancer keeps its side, which would else send into a closing connection
  { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 120_000 },
  app.callback(),
)
server.listen(env.PORT)
server.once('error', (err) => {
  log.fatal({ err }, 'cannot listen')
  process.exit(1)
})
await once(server, 'listening')
log.info({ port: env.PORT }, 'listening')

const [signal] = await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
log.info({ signal }, 'draining')
setTimeout(() => process.exit(1), env.DRAIN_SECONDS * 1_000).unref()
server.close()
server.closeIdleConnections()
await once(server, 'close')
await bell.close()
await db.destroy()
log.info('stopped')
