import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** What the provider says other than the truth. */
export interface Lies {
  /** Claims of the ID token instead of the true ones; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Seconds by which its clock is off. */
  readonly clock?: number
  /** Whether another key signs. */
  readonly isForged?: boolean
  /** `iss` of the answer; null leaves it out. */
  readonly iss?: string | null
}

/** An OpenID provider of strangers: signs whatever a test makes it sign, and checks the client as a real one does. */
export interface LyingProvider extends AsyncDisposable {
  readonly issuer: string
  /** Answers a request to sign in. @returns where the browser is sent back to. */
  answer(signInUrl: string, claims: Readonly<Record<string, unknown>>, lies?: Lies): URL
  /** How it serves its metadata and keys from now on. */
  behave(as: 'well' | 'slow' | 'huge' | 'redirecting'): void
}

interface Grant {
  readonly request: URLSearchParams
  readonly claims: Readonly<Record<string, unknown>>
  readonly lies: Lies
}

export const CLIENT = { clientId: 'inkling', clientSecret: 'the secret: of/the client' }

/** @param metadata further members of its metadata. */
export async function openLyingProvider(metadata: object = {}): Promise<LyingProvider> {
  const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  let behaviour: 'well' | 'slow' | 'huge' | 'redirecting' = 'well'

  async function exchange(request: IncomingMessage): Promise<object | undefined> {
    const form = new URLSearchParams(await text(request))
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '')
    const basic = Buffer.from((request.headers.authorization ?? '').split(' ')[1] ?? '', 'base64').toString()
    const [id = '', secret = ''] = basic
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      id === CLIENT.clientId &&
      secret === CLIENT.clientSecret &&
      challenge === grant?.request.get('code_challenge') &&
      form.get('redirect_uri') === grant.request.get('redirect_uri')
    if (!grant || !isRight) return undefined
    const { claims, lies } = grant
    const now = Math.floor(Date.now() / 1_000) + (lies.clock ?? 0)
    const nonce = grant.request.get('nonce')
    const payload = { iss: issuer, aud: CLIENT.clientId, nonce, iat: now, exp: now + 300, auth_time: now }
    const idToken = await new SignJWT({ ...payload, ...claims, ...lies.claims } as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', kid: 'own' })
      .sign(lies.isForged ? foreign.privateKey : own.privateKey)
    return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: idToken }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object, headers = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
    if (behaviour === 'slow') return // until the client gives up
    if (behaviour === 'redirecting') return send(302, {}, { Location: 'http://169.254.169.254/latest' })
    const padding = behaviour === 'huge' ? { padding: 'x'.repeat(1024 * 1024) } : {}
    if (request.url === '/token') {
      const tokens = await exchange(request)
      return tokens ? send(200, tokens) : send(400, { error: 'invalid_grant' })
    }
    if (request.url === '/keys') return send(200, { keys: [jwk], ...padding })
    return send(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...metadata,
      ...padding,
    })
  }

  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    behave: (as) => {
      behaviour = as
    },
    answer(signInUrl, claims, lies = {}) {
      const request = new URL(signInUrl).searchParams
      const code = crypto.randomUUID()
      grants.set(code, { request, claims, lies })
      const callback = new URL(request.get('redirect_uri') ?? '')
      callback.searchParams.set('code', code)
      callback.searchParams.set('state', request.get('state') ?? '')
      if (lies.iss !== null) callback.searchParams.set('iss', lies.iss ?? issuer)
      return callback
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
