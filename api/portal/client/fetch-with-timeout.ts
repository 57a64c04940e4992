/** The service answers within 10 s, or within 20 s where it waits for a dataset; a slow network may need some more. */
const TIMEOUT_MS = 30_000

/**
 * As `fetch`, and gives up after 30 s, or after `timeoutMs`. The time is for the whole answer where it is JSON, and otherwise until the
 * headers are there: files are as long as they are.
 *
 * @throws DOMException `TimeoutError` when the time is over, `AbortError` when the request was aborted.
 */
export async function fetchWithTimeout(
  input: Request | string,
  { timeoutMs = TIMEOUT_MS, ...init }: RequestInit & { timeoutMs?: number } = {},
): Promise<Response> {
  const controller = new AbortController()
  // counts only while the page is active: who comes back after an hour of sleep does not find a failed request
  const timeout = AbortSignal.timeout(timeoutMs)
  const abort = () => controller.abort(timeout.reason)
  timeout.addEventListener('abort', abort)
  const own = input instanceof Request ? [input.signal] : []
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.any([controller.signal, ...own]) })
    if (!response.headers.get('content-type')?.includes('json')) return response
    return new Response(await response.arrayBuffer(), response)
  } finally {
    timeout.removeEventListener('abort', abort)
  }
}
