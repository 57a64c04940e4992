/** The service responds within 10 s, or 20 s when it waits for a dataset; a slow network may add some seconds. */
const TIMEOUT_MS = 30_000

/**
 * Calls `fetch` with a timeout, 30 s by default. For JSON, the timeout covers the whole response; for other types, such as file
 * downloads, it ends when the headers arrive.
 *
 * @throws DOMException `TimeoutError` after the timeout, `AbortError` when the request was aborted.
 */
export async function fetchWithTimeout(
  input: Request | string,
  { timeoutMs = TIMEOUT_MS, ...init }: RequestInit & { timeoutMs?: number } = {},
): Promise<Response> {
  const controller = new AbortController()
  // counts only while the page is active, so a computer's sleep does not fail requests
  const timeout = AbortSignal.timeout(timeoutMs)
  const abort = () => controller.abort(timeout.reason)
  timeout.addEventListener('abort', abort)
  const signals = input instanceof Request ? [input.signal] : []
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.any([controller.signal, ...signals]) })
    if (!response.headers.get('content-type')?.includes('json')) return response
    return new Response(await response.arrayBuffer(), response)
  } finally {
    timeout.removeEventListener('abort', abort)
  }
}
