import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import { Problem } from './problem.ts'

/** Output of `npm run build`. */
const BUILT = join(import.meta.dirname, '../sdk/dist')

/** The scripts of released versions by version, which are part of the source: pages name their address and hash. */
const RELEASED = join(import.meta.dirname, '../sdk/released')

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** Of files whose address has their version. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Any page may load the files, and check their hash. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Vary: 'Accept-Encoding',
}

interface SdkFile {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
  readonly caching: string
  readonly encode: Record<'br' | 'gzip', () => Promise<Buffer>>
}

/**
 * Serves the built SDK to pages of any origin: `/sdk/v1.js`, which browsers revalidate, all scripts under `/sdk/<version>/`, which
 * they keep, and `/sdk/integrity.json` with the values of the `integrity` attribute. Scripts of released versions stay at their address.
 */
export function serveSdk({ built = BUILT, released = RELEASED } = {}): Middleware {
  const files = existsSync(built) ? readFiles(built, released) : new Map<string, SdkFile>()
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/sdk/') || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    const file = files.get(ctx.path)
    if (!file)
      throw new Problem('route_not_found', {
        detail:
          files.size > 0
            ? 'The SDK has no such file in this version; /sdk/integrity.json lists its files'
            : 'The SDK is not built: run npm run build where this service is installed, and restart web',
      })
    ctx.state.route = 'sdk file'
    ctx.set({ ...HEADERS, 'Cache-Control': file.caching, ETag: file.etag, 'Content-Type': file.type })
    ctx.status = 200
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    // Brotli first, whichever of the two the browser names first
    const encoding = (['br', 'gzip'] as const).find((one) => ctx.acceptsEncodings(one) === one)
    if (encoding) ctx.set('Content-Encoding', encoding)
    ctx.body = encoding ? await file.encode[encoding]() : file.bytes
    ctx.type = file.type
  }
}

function readFiles(built: string, released: string): Map<string, SdkFile> {
  const { version } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  const earlier = existsSync(released) ? readdirSync(released) : []
  return new Map([
    ...readScripts(built, version),
    ...earlier.flatMap((one) => readScripts(join(released, one), one)), // instead of a later build of the same version
    ['/sdk/v1.js', readScript(join(built, 'inkling.js'), 'no-cache')],
    ['/sdk/integrity.json', readScript(join(built, 'integrity.json'), 'no-cache')],
  ])
}

const readScripts = (directory: string, version: string): [string, SdkFile][] =>
  readdirSync(directory)
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => [`/sdk/${version}/${name}`, readScript(join(directory, name), IMMUTABLE)])

function readScript(path: string, caching: string): SdkFile {
  const bytes = readFileSync(path)
  return {
    bytes,
    caching,
    type: TYPES[path.split('.').at(-1) ?? ''] ?? '',
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    encode: {
      br: once(() => promisify(brotliCompress)(bytes)),
      gzip: once(() => promisify(gzip)(bytes, { level: 9 })),
    },
  }
}

/** Runs `act` at the first call: a file of 10 KB takes 20 ms to compress, and few processes serve all of them. */
function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= act()
    return result
  }
}
