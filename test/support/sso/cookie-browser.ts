import type { Answer } from '../client.ts'
import { FROM_PORTAL } from '../route-requests.ts'

/** A browser without scripts: keeps cookies by host, and follows redirects between hosts that a test names. */
export interface CookieBrowser {
  /** Requests an address without following a redirect. */
  open(
    url: string | URL,
    form?: Record<string, string>,
  ): Promise<{ status: number; location: string; text: string }>
  /** Deletes the cookies of a host. */
  forget(url: string): void
  /** Sends a request of the portal's own page. */
  ask(url: string, method?: string): Promise<Pick<Answer, 'status' | 'body'>>
}

export function openCookieBrowser(): CookieBrowser {
  const jars = new Map<string, Map<string, string>>()

  async function send(url: string | URL, init: RequestInit): Promise<Response> {
    const { host, pathname } = new URL(url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const cookie = [...jar]
      .filter(([name]) => pathname.startsWith(name.split(' ')[1] ?? '/'))
      .map(([name, value]) => `${name.split(' ')[0]}=${value}`)
      .join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie, ...init.headers } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const name = `${pair.slice(0, pair.indexOf('='))} ${/path=([^;]+)/i.exec(line)?.[1] ?? '/'}`
      const value = pair.slice(pair.indexOf('=') + 1)
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  return {
    async open(url, form) {
      const response = await send(url, form ? { method: 'POST', body: new URLSearchParams(form) } : {})
      const location = response.headers.get('location')
      return {
        status: response.status,
        location: location === null ? '' : new URL(location, url).href,
        text: await response.text(),
      }
    },
    forget: (url) => void jars.delete(new URL(url).host),
    async ask(url, method = 'POST') {
      const response = await send(url, { method, headers: FROM_PORTAL })
      return { status: response.status, body: await response.json() }
    },
  }
}
