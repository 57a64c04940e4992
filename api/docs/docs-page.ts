import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import { Problem } from '../http/problem.ts'

const compress = promisify(gzip)

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Inkling API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="docs"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, tryItOutEnabled: true })\n`

/** Scripts and styles come only from this server: Swagger UI sets styles of elements by the DOM, which is allowed. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Serves `/docs`, a page that renders the OpenAPI document; all its files come from this server. */
export function serveDocs(): Middleware {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const packaged = (name: string) => readFile(join(folder, name))
  const files: Record<string, { type: string; read: () => Promise<Buffer> }> = {
    '/docs': { type: 'text/html; charset=utf-8', read: async () => Buffer.from(PAGE) },
    '/docs/start.js': { type: 'text/javascript; charset=utf-8', read: async () => Buffer.from(START) },
    '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => packaged('swagger-ui.css') },
    '/docs/swagger-ui-bundle.js': {
      type: 'text/javascript; charset=utf-8',
      read: () => packaged('swagger-ui-bundle.js'),
    },
  }
  const compressed = new Map<string, Promise<Buffer>>()

  return async (ctx, next) => {
    const path = ctx.path.toLowerCase()
    if (path === '/docs/' && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
      ctx.state.route = '/docs'
      ctx.status = 301
      return ctx.redirect('/docs')
    }
    const file = files[path]
    if (!file) return next()
    ctx.state.route = path
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new Problem('method_not_allowed', { allow: 'GET, HEAD' })
    ctx.set({
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept-Encoding',
    })
    ctx.type = file.type
    if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
      const body = compressed.get(path) ?? file.read().then((bytes) => compress(bytes))
      compressed.set(path, body)
      ctx.set('Content-Encoding', 'gzip')
      ctx.body = await body
    } else ctx.body = await file.read()
  }
}
