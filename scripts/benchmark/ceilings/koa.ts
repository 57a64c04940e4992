/**
 * Koa without stores: a POST is read, parsed and answered like an upload; for a GET, the token is checked and a constant of
 * the size in `/constant/SIZE` is returned.
 */
import { createServer, type IncomingMessage } from 'node:http'
import Koa from 'koa'
import { LRUCache } from 'lru-cache'
import { fixedSigningKeys } from '../../../api/account/signing-keys.ts'
import { openTokens, type TokenClaims } from '../../../api/account/tokens.ts'
import { webEnv } from '../../../api/config.ts'
import { readEnvOrExit } from '../../../db/runtime/env.ts'

const env = readEnvOrExit(webEnv(process.env), process.env)
const tokens = openTokens(await fixedSigningKeys(env.TOKEN_SIGNING_KEYS ?? []), env.TOKEN_TTL_MINUTES)
const callers = new LRUCache<string, { claims: TokenClaims | undefined }>({
  max: 10_000,
  ttl: 3_000,
  fetchMethod: async (token) => ({ claims: await tokens.verify(token) }),
})
const constants = new Map<string, string>()

const constantOf = (path: string) => {
  const known = constants.get(path)
  if (known !== undefined) return known
  const constant = JSON.stringify('x'.repeat(Math.max(0, Number(path.split('/').pop()) - 2)))
  constants.set(path, constant)
  return constant
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
  })
}

const app = new Koa()
app.use(async (ctx) => {
  if (ctx.method === 'POST') {
    const { referenceNumber } = JSON.parse((await readBody(ctx.req)).toString('utf8'))
    ctx.body = JSON.stringify({ referenceNumber, uploadDate: '2026-01-01T00:00:00.000000' })
  } else if (ctx.path.startsWith('/constant/')) {
    const caller = await callers.fetch(ctx.get('authorization').slice('Bearer '.length))
    if (!caller?.claims) ctx.throw(401)
    ctx.body = constantOf(ctx.path)
  } else ctx.body = '{}'
  ctx.type = 'application/json'
})
const server = createServer({ keepAliveTimeout: 65_000 }, app.callback()).listen(env.PORT)

process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
