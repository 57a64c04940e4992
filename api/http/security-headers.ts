import type { Middleware } from 'koa'

/** Headers that keep browsers from rendering, framing, sniffing or caching responses. Pages override the policy. */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const NAMES = Object.keys(SECURITY_HEADERS) as (keyof typeof SECURITY_HEADERS)[]

/** @see OWASP REST Security Cheat Sheet, security headers */
export const setSecurityHeaders: Middleware = (ctx, next) => {
  for (const name of NAMES) ctx.res.setHeader(name, SECURITY_HEADERS[name])
  return next()
}
