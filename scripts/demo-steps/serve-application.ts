import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { Inkling } from '../../api/client/src/index.ts'

const FILES = join(import.meta.dirname, 'application')

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The web site of a lender that uses the service. */
interface ApplicationOptions {
  /** Port to listen on, unless it is in use. */
  readonly port: number
  /** Address of the service. */
  readonly baseUrl: string
  /** The service, with the site's uploader key. */
  readonly uploader: Inkling
  readonly signal: AbortSignal
  /** Returns a site key of level claimed for pages of this origin. */
  findSiteKey(origin: string): Promise<string>
}

/** A running web site of a lender. */
interface ApplicationSite extends AsyncDisposable {
  /** Address of the application form. */
  readonly url: string
}

/**
 * Serves a loan application form that captures itself, from an origin of its own, as the web site of a lender would. When the form
 * is sent, the site's backend claims the collection with its uploader key.
 */
export async function serveApplication(options: ApplicationOptions): Promise<ApplicationSite> {
  const server = await listen(options.port)
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const siteKey = await options.findSiteKey(origin)
  const page = await fillPage(options.baseUrl, siteKey)
  server.on('request', (request, response) => {
    respond(request, response, { ...options, page }).catch((error) => {
      response.writeHead(502, { 'Content-Type': 'text/plain' }).end(String(error))
    })
  })
  return {
    url: `${origin}/demo/apply`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Listens on the port, or on any free one if it is in use. */
async function listen(port: number): Promise<Server> {
  for (const one of [port, 0]) {
    const server = createServer().listen(one, '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if (one === 0) throw error
    }
  }
  throw new Error('No port is free')
}

async function fillPage(baseUrl: string, siteKey: string): Promise<string> {
  const integrity = z
    .record(z.string(), z.string())
    .parse(await (await fetch(`${baseUrl}/sdk/integrity.json`)).json())
  const values = {
    SCRIPT: `${baseUrl}/sdk/v1.js`,
    INTEGRITY: integrity['inkling.js'] ?? '',
    SITE_KEY: siteKey,
    ENDPOINT: `${baseUrl}/c`,
  }
  const html = await readFile(join(FILES, 'apply.html'), 'utf8')
  return html.replace(
    /"(SCRIPT|INTEGRITY|SITE_KEY|ENDPOINT)"/g,
    (_, name: keyof typeof values) => `"${values[name]}"`,
  )
}

/** Scripts of this site and of the SDK, requests to this site and to the endpoint; no text becomes code or markup. */
const policyOf = (baseUrl: string) =>
  `default-src 'none'; script-src 'self' ${baseUrl}/sdk/; connect-src 'self' ${baseUrl}/c ${baseUrl}/c/; style-src 'self'; ` +
  "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: Pick<ApplicationOptions, 'baseUrl' | 'uploader' | 'signal'> & { page: string },
): Promise<void> {
  const send = (status: number, type: string, body: string) =>
    response
      .writeHead(status, {
        'Content-Type': TYPES[type] ?? type,
        'Content-Security-Policy': policyOf(options.baseUrl),
        'Referrer-Policy': 'strict-origin',
        'X-Content-Type-Options': 'nosniff',
      })
      .end(body)

  const { pathname } = new URL(request.url ?? '/', 'http://site')
  const [, name, type = ''] = pathname.match(/^\/demo\/((?:apply|icon)\.(css|js|svg))$/) ?? []
  if (request.method === 'POST' && pathname === '/demo/applications')
    send(200, 'application/json', JSON.stringify(await claim(await text(request), options)))
  else if (pathname === '/demo/apply') send(200, 'html', options.page)
  else if (name !== undefined) send(200, type, await readFile(join(FILES, name), 'utf8'))
  else send(404, 'text/plain', 'The form is at /demo/apply')
}

/** Gives a collection a new reference number. @returns it, and where the portal shows its insight */
async function claim(
  collection: string,
  { baseUrl, uploader, signal }: Pick<ApplicationOptions, 'baseUrl' | 'uploader' | 'signal'>,
) {
  const referenceNumber = `APPLY-${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`
  await uploader.claimCollection({ collection, referenceNumber }, { signal })
  return { referenceNumber, insight: `${baseUrl}/datasets/${referenceNumber}` }
}
