import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { send } from '@koa/send'
import type { Middleware } from 'koa'
import { setCompressedBody } from './compress-response.ts'
import { Problem } from './problem.ts'

/** Output of `npm run build`. */
const BUILT = join(import.meta.dirname, '../portal/dist')

/** What `index.html` has in place of the nonce of its style elements. */
const NONCE_PLACEHOLDER = /__STYLE_NONCE__/g

/**
 * Scripts come only from this server's files. So do styles, except for the style elements that carry the nonce of the response: the
 * shell's and those of the component library.
 *
 * @see https://www.w3.org/TR/CSP3/#security-nonces
 */
const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; ` +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/** Caching of files whose names contain a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

const SERVED = /\.(js|css|svg|woff2)$/

const ASSET = /^\/assets\/[\w-][\w.-]*$/

/**
 * Serves the portal: its files and, for every other path that a browser opens, the single-page application. Mounted after
 * the API, so that no page hides a route.
 */
export function servePortal(directory = BUILT): Middleware {
  const files = new Set(
    existsSync(directory) ? readdirSync(directory, { recursive: true }).map((name) => `/${name}`) : [],
  )
  /** Includes assets of a build that is newer than the web process: the page that refers to them is read per request. */
  const exists = async (path: string) =>
    files.has(path) ||
    (ASSET.test(path) && (await stat(join(directory, path)).catch(() => undefined))?.isFile() === true)
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    const serve = (path: string, caching: string) => {
      ctx.set({ 'Cache-Control': caching, Vary: 'Accept, Accept-Encoding' })
      return send(ctx, path, { root: directory })
    }
    if (SERVED.test(ctx.path) && (await exists(ctx.path))) {
      ctx.state.route = 'portal file'
      await serve(ctx.path, ctx.path.startsWith('/assets/') ? IMMUTABLE : 'no-cache')
    } else if (!/\btext\/html\b/.test(ctx.get('accept'))) await next()
    else if (files.has('/index.html')) {
      ctx.state.route = 'portal page'
      const nonce = randomBytes(16).toString('base64')
      ctx.set({ 'Content-Security-Policy': policyOf(nonce), 'Cross-Origin-Opener-Policy': 'same-origin' })
      ctx.set({ 'Cache-Control': 'no-store', Vary: 'Accept' }) // a stored page would have another nonce
      ctx.type = 'html'
      const page = await readFile(join(directory, 'index.html'), 'utf8')
      await setCompressedBody(ctx, page.replace(NONCE_PLACEHOLDER, nonce))
    } else
      throw new Problem('route_not_found', {
        detail: 'The portal is not built: run npm run build where this service is installed, and restart web',
      })
  }
}
