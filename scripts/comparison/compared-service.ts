import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { UserError } from '../cli/user-error.ts'

/** Address and credentials of a service. */
export interface ServiceAccess {
  readonly baseUrl: string
  /** An API key with the role uploader. */
  readonly apiKey: string
  readonly email: string
  readonly password: string
}

/** A status and the JSON of a response; undefined where it is not JSON. */
export interface Outcome {
  readonly status: number
  readonly body: unknown
}

/** A service that is compared, by the calls of the interface that every such service has. */
export interface ComparedService {
  upload(body: object): Promise<Outcome>
  /** Reads an insight; waits for one that is not ready. */
  readInsight(referenceNumber: string): Promise<Outcome>
}

const REQUEST_TIMEOUT_MS = 30_000

/** Larger responses are no insights. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

const RETRIED = [408, 429, 500, 502, 503, 504]

const LoginResponse = z.object({ access_token: z.string().min(1) })

/**
 * Signs in to a service.
 *
 * @param name for messages.
 * @param waitMs how long a call is retried while the service is busy or the insight is not ready.
 * @throws UserError if the service cannot be reached or rejects the sign-in.
 */
export async function openComparedService(
  name: string,
  { baseUrl, apiKey, email, password }: ServiceAccess,
  waitMs: number,
): Promise<ComparedService> {
  const base = baseUrl.replace(/\/+$/, '')

  async function request(method: string, path: string, token?: string, body?: object): Promise<Outcome> {
    const until = Date.now() + waitMs
    for (let attempt = 1; ; attempt++) {
      const { outcome, retryAfterMs } = await requestOnce(method, path, token, body)
      const pauseMs = retryAfterMs ?? Math.min(5_000, 250 * 2 ** attempt)
      if (!RETRIED.includes(outcome.status) || Date.now() + pauseMs > until) return outcome
      await delay(pauseMs)
    }
  }

  async function requestOnce(method: string, path: string, token?: string, body?: object) {
    try {
      const response = await fetch(base + path, {
        method,
        redirect: 'error', // a redirect would send the credential to another address
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        headers: {
          ...(body && { 'Content-Type': 'application/json' }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const outcome = { status: response.status, body: parse(await readBounded(response)) }
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      return { outcome, retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const { cause } = error
      throw new UserError(`${name}: ${method} ${base}${path}: ${causeOf(cause) ?? error.message}`)
    }
  }

  async function logIn(): Promise<string> {
    const { status, body } = await request('POST', '/api/account/v1/login', undefined, {
      userEmail: email,
      password,
    })
    const { data } = LoginResponse.safeParse(body)
    if (status === 200 && data) return data.access_token
    throw new UserError(`${name}: the login was answered ${describeOutcome({ status, body })}`)
  }

  let token = await logIn()
  return {
    upload: (body) => request('POST', '/api/datasets/v1/upload', apiKey, body),
    async readInsight(referenceNumber) {
      const path = `/v6.0/datasets/${encodeURIComponent(referenceNumber)}/datasetinsight`
      const outcome = await request('GET', path, token)
      if (outcome.status !== 401) return outcome
      token = await logIn() // it is valid for an hour
      return request('GET', path, token)
    },
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is larger than 16 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const causeOf = (cause: unknown) =>
  cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : undefined

/** Returns the status of a response and, of a problem, its title: `409 reference_number_taken`. */
export function describeOutcome({ status, body }: Outcome): string {
  const title = typeof body === 'object' && body !== null && 'title' in body ? ` ${String(body.title)}` : ''
  return `${status}${status === 200 ? '' : title}`
}
