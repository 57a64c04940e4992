/** Bodies above this are not sent with keepalive, for which a page has 64 KiB at a time. */
const MAX_KEEPALIVE = 60_000
const TIMEOUT_MS = 30_000

/** The server has refused a request. */
export interface Refusal extends Error {
  /** Title of the problem, such as `site_key_invalid`. */
  readonly code: string
  readonly status: number
  /** From Retry-After, 0 without. */
  readonly retryAfterSeconds: number
  /** Segments that the server does not have. */
  readonly missing: readonly string[]
}

/** Whether the same request may succeed later: the server was not reached, is overloaded, or fails. */
export const isTransient = ({ status = 0 }: Partial<Refusal>): boolean =>
  status < 400 || status === 408 || status === 429 || status >= 500

export const refusal = (code: string, more?: Partial<Refusal>): Refusal =>
  Object.assign(new Error(code), { code, status: 400, retryAfterSeconds: 0, missing: [] }, more)

/** Settings of every request: none needs a preflight, sends cookies, or says more of the page than its origin. */
export const settings = (body: string | ArrayBuffer): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'text/plain' },
  credentials: 'omit',
  referrerPolicy: 'strict-origin',
})

const gzip = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()

/**
 * Posts a JSON text and returns the answer.
 *
 * @param compress takes a moment, which a page that is being left does not have
 * @throws Refusal, or the error of `fetch` if the server was not reached
 */
export async function post<Answer>(url: string, text: string, compress: boolean): Promise<Answer> {
  const body = compress && text.length > 1_000 && self.CompressionStream ? await gzip(text) : text
  const response = await fetch(url, {
    ...settings(body),
    keepalive: new Blob([body]).size < MAX_KEEPALIVE,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw refusal(answer.title ?? 'unavailable', {
    status: response.status,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || 0,
    missing: answer.errors?.segments ?? [],
  })
}
