import { setTimeout } from 'node:timers/promises'

export interface Call {
  readonly path: string
  /** Sent with POST if given; otherwise the method is GET. */
  readonly body?: unknown
  /** An access token or an API key. */
  readonly bearer?: string
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly text: string
}

const RETRY_MS = 60_000

/**
 * Calls the API and retries for up to a minute when it is busy (429, 503) or the connection breaks. This is safe because
 * every call of the API is idempotent.
 */
export async function callApi(baseUrl: string, call: Call): Promise<Answer> {
  const deadline = Date.now() + RETRY_MS
  for (let attempt = 0; ; attempt += 1) {
    const answer = await callOnce(baseUrl, call).catch((error: unknown) => {
      if (call.signal.aborted || Date.now() > deadline) throw error
      return undefined
    })
    const busy = answer === undefined || answer.status === 503 || answer.status === 429
    if (!busy || Date.now() > deadline) return answer as Answer
    // jitter, so that callers that were rejected together do not retry together
    await setTimeout(Math.min(2_000, 50 * 2 ** attempt) * (0.5 + Math.random()), undefined, {
      signal: call.signal,
    })
  }
}

async function callOnce(baseUrl: string, { path, body, bearer, signal }: Call): Promise<Answer> {
  const response = await fetch(new URL(path, baseUrl), {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  })
  return { status: response.status, text: await response.text() }
}
