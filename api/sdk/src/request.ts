/** Texts longer than this are not sent with keepalive, for which a page has 64 KiB at a time. */
const MAX_KEEPALIVE = 50_000
const TIMEOUT_MS = 30_000

/** An error of a request. Without `status` the server was not reached. */
export interface Refusal extends Error {
  /** Title of the problem, such as `site_key_invalid`. */
  code?: string
  status?: number
  retryAfterSeconds?: number
  /** Segments that the server does not have. */
  missing?: string[]
}

export const refusal = (code: string, more?: Partial<Refusal>): Refusal =>
  Object.assign(new Error(code), { code }, more)

/** Settings of every request: no preflight, no cookies, and of the page only its origin. */
export const settings = (body: string | ArrayBuffer): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'text/plain' },
  credentials: 'omit',
  referrerPolicy: 'strict-origin',
})

/**
 * Posts a JSON text and returns the answer.
 *
 * @param compress takes a moment, which a page that is being left does not have
 * @throws Refusal
 */
export async function post<Answer>(url: string, text: string, compress?: boolean): Promise<Answer> {
  const body =
    compress && text.length > 1_000
      ? await new Response(
          (new Response(text).body as ReadableStream).pipeThrough(new CompressionStream('gzip')),
        ).arrayBuffer()
      : text
  const response = await fetch(url, {
    ...settings(body),
    keepalive: text.length < MAX_KEEPALIVE,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw refusal(answer.title, {
    status: response.status,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || 0,
    missing: answer.errors?.segments,
  })
}
