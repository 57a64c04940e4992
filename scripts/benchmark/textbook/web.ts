/** The textbook's web process: an insert and a job per upload, an insight by joins. */
import { createServer } from 'node:http'
import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import { pino } from 'pino'
import { openAuthentication } from '../../../api/account/authentication.ts'
import { openSigningKeys } from '../../../api/account/signing-keys.ts'
import { openTokens } from '../../../api/account/tokens.ts'
import { webEnv } from '../../../api/config.ts'
import { Problem } from '../../../api/http/problem.ts'
import { databaseOptions, openDatabase } from '../../../db/postgres/database.ts'
import { readEnvOrExit } from '../../../db/runtime/env.ts'
import { openTextbookQueue } from './queue.ts'
import { readInsight } from './read-insight.ts'
import { readUpload } from './read-upload.ts'
import { receiveUpload } from './receive-upload.ts'

const env = readEnvOrExit(webEnv(process.env), process.env)
const log = pino({ level: env.LOG_LEVEL })
const db = openDatabase(databaseOptions(env))
const queue = openTextbookQueue(env.REDIS_URL ?? '')
queue.on('error', (err) => log.warn({ err }, 'queue'))
await queue.waitUntilReady()
const tokens = openTokens(await openSigningKeys(db, env.TOKEN_SIGNING_KEYS, log), env.TOKEN_TTL_MINUTES)
const authenticate = openAuthentication(db, tokens)

const router = new Router()

router.post('/api/datasets/v1/upload', async (ctx) => {
  const caller = await authenticate(ctx.req.headers, { kind: 'key', scope: 'datasets:write' })
  if (!caller) throw new Problem('unauthenticated')
  const upload = await readUpload(ctx.req, env.MAX_BODY_BYTES)
  ctx.body = await receiveUpload(db, queue, caller.subscriptionId, upload)
})

router.get('/v6.0/datasets/:referenceNumber/datasetinsight', async (ctx) => {
  const caller = await authenticate(ctx.req.headers, { kind: 'login', roles: ['admin', 'analyst'] })
  if (caller?.kind !== 'login') throw new Problem('unauthenticated')
  ctx.body = await readInsight(db, {
    subscriptionId: caller.subscriptionId,
    referenceNumber: ctx.params.referenceNumber ?? '',
    requestor: caller.email,
    address: ctx.req.socket.remoteAddress,
    waitMs: env.INSIGHT_WAIT_MS,
  })
})

router.get('/readyz', (ctx) => {
  ctx.body = { status: 'ok' }
})

async function answerProblems(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  try {
    await next()
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem('internal_error', { cause: error })
    if (problem.cause) log.error({ err: problem.cause }, 'request failed')
    ctx.status = problem.status
    ctx.body = { title: problem.code, status: problem.status, detail: problem.detail }
  }
  const ms = Math.round((performance.now() - startedAt) * 10) / 10
  log.info({ method: ctx.method, route: ctx._matchedRoute, status: ctx.status, ms }, 'request')
}

const app = new Koa()
app.use(answerProblems)
app.use(router.routes())
const server = createServer({ keepAliveTimeout: 65_000 }, app.callback()).listen(env.PORT)

process.on('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await queue.close()
  await db.destroy()
  process.exit(0)
})
