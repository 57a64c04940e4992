import type { Page, Request } from 'playwright-core'
import { withTimeout } from '../../../db/runtime/with-timeout.ts'

const LATEST = 30

/** Time for a page to say what it shows: a page that hangs never does. */
const SHOW_MS = 5_000

/**
 * Follows the requests and messages of a page.
 *
 * @returns a function that describes the page: its address, requests without a response, the latest events, and what it shows.
 */
export function watchPage(page: Page): () => Promise<string> {
  const latest: string[] = []
  const open = new Set<Request>()
  const nameOf = (request: Request) => `${request.method()} ${request.url()}`
  const note = (line: string) => {
    latest.push(`${new Date().toISOString().slice(11)} ${line}`)
    if (latest.length > LATEST) latest.shift()
  }
  page
    .on('request', (request) => open.add(request))
    .on('requestfinished', async (request) => {
      open.delete(request)
      const response = await request.response().catch(() => null)
      note(`${response?.status()} ${nameOf(request)}`)
    })
    .on('requestfailed', (request) => {
      open.delete(request)
      note(`${request.failure()?.errorText} ${nameOf(request)}`)
    })
    .on('framenavigated', (frame) => note(`navigated to ${frame.url()}`))
    .on('console', (message) => note(`console: ${message.text()}`))
    .on('pageerror', (error) => note(`error: ${error.stack}`))
    .on('crash', () => note('crashed'))

  return async () => {
    const shown = await withTimeout(SHOW_MS, 'The page', page.evaluate<string>(SHOWN)).catch(String)
    const lines = (title: string, some: Iterable<string>) => [`${title}:`, ...some].join('\n  ')
    return [
      `Page ${page.url()}`,
      lines('Requests without a response', [...open].map(nameOf)),
      lines('Latest', latest),
      lines('Shows', shown.split('\n')),
    ].join('\n')
  }
}

const SHOWN = 'document.readyState + "\\n" + (document.body?.innerText || document.documentElement.outerHTML)'
