import type { Finding } from '../../db/checks/finding.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import { Skipped } from './skipped.ts'

const TIMEOUT_MS = 5_000

/** Checks that a running web answers at the address of `--url`, and that it reaches its stores. */
export const checkWeb: Check = {
  name: 'web',
  async run({ options: { url } }) {
    if (!url) throw new Skipped('no --url of a running web')
    const findings = (
      await Promise.all(['/healthz', '/readyz'].map((path) => ask(new URL(path, url))))
    ).flat()
    return { saw: url.origin, findings }
  },
}

async function ask(address: URL): Promise<Finding[]> {
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const isHealthy = response.status === 200 && isJson
    const reasons = isJson && !isHealthy ? await readReasons(response) : ''
    await response.body?.cancel() // a page of another program may be long, or never end
    if (isHealthy) return []
    const message = `${address} answers ${response.status}${reasons}`
    const remedy =
      response.status === 503 && isJson ? 'See the findings of the named parts, and the log of web' : REMEDY
    return [{ level: 'error', message, remedy }]
  } catch (error) {
    return [
      { level: 'error', message: `${address} does not answer: ${describeError(error)}`, remedy: REMEDY },
    ]
  }
}

const REMEDY = 'Check the address, that web runs, and that the proxy in front forwards to its PORT'

/** Longest answer that is read. */
const MAX_BYTES = 10_000

/** Reads which parts are not ready. */
async function readReasons({ body }: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (text.length > MAX_BYTES) break
  }
  return `: ${text.slice(0, 300).replaceAll(/[\s\p{Cc}]+/gu, ' ')}`
}
