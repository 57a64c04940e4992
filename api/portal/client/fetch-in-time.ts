/** The service answers within 10 s, or within 20 s where it waits for a dataset; a slow network may need some more. */
const ANSWER_MS = 30_000

/**
 * As `fetch`, and gives up after 30 s, or after `timeoutMs`. The time is for the whole answer where it is JSON, and otherwise until the
 * headers are there: files are as long as they are.
 *
 * @throws DOMException `TimeoutError` when the time is over, `AbortError` when the request was aborted.
 */
export async function fetchInTime(
  input: Request | string,
  { timeoutMs = ANSWER_MS, ...init }: RequestInit & { timeoutMs?: number } = {},
): Promise<Response> {
  const controller = new AbortController()
  const late = new DOMException('The service did not answer in time', 'TimeoutError')
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  const own = input instanceof Request ? [input.signal] : []
  try {
    const response = await fetch(input, { ...init, signal: AbortSignal.any([controller.signal, ...own]) })
    if (!response.headers.get('content-type')?.includes('json')) return response
    return new Response(await response.arrayBuffer(), response)
  } finally {
    clearTimeout(timer)
  }
}
