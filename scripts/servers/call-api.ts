import { setTimeout } from 'node:timers/promises'

export interface Call {
  readonly path: string
  /** Sent by POST if given, else it is a GET. */
  readonly body?: unknown
  /** A login token or an API key. */
  readonly bearer?: string
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly text: string
}

const PATIENCE_MS = 60_000

/**
 * Calls the API as a careful client does: when it answers that it is busy, or the connection breaks, the call is
 * made again for up to a minute, which is safe since every call of the interface is.
 */
export async function callApi(baseUrl: string, call: Call): Promise<Answer> {
  const deadline = Date.now() + PATIENCE_MS
  for (let attempt = 0; ; attempt += 1) {
    const answer = await tryCall(baseUrl, call).catch((error: unknown) => {
      if (call.signal.aborted || Date.now() > deadline) throw error
      return undefined
    })
    const busy = answer === undefined || answer.status === 503 || answer.status === 429
    if (!busy || Date.now() > deadline) return answer as Answer
    // spread out, so that callers which were refused together do not come back together
    await setTimeout(Math.min(2_000, 50 * 2 ** attempt) * (0.5 + Math.random()), undefined, {
      signal: call.signal,
    })
  }
}

async function tryCall(baseUrl: string, { path, body, bearer, signal }: Call): Promise<Answer> {
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
