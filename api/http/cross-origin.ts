import type { ServerResponse } from 'node:http'
import type { Credential, PageCredential } from './endpoint.ts'

/** Whether pages of any origin call the endpoints with this credential. */
export const isForPages = (credential: Credential): credential is PageCredential =>
  credential.kind === 'siteKey' || credential.kind === 'collection'

/** Headers that let a page of any origin read a response; no cookie is involved. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** Also of a preflight, which only `application/json` and old proxies cause; a browser caches it for up to a day. */
const PREFLIGHT_HEADERS = {
  ...HEADERS,
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

/** @see Fetch standard, CORS protocol */
export function allowOrigins(response: ServerResponse, { preflight = false } = {}): void {
  for (const [name, value] of Object.entries(preflight ? PREFLIGHT_HEADERS : HEADERS))
    response.setHeader(name, value)
}
