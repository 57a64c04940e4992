import { createRequire } from 'node:module'
import type * as All from 'rate-limiter-flexible'

const require = createRequire(import.meta.url)

/** Rate limiters, each by its own file, as the package documents: its main file loads the limiters of all other stores too, 36 files at every start. */
export const RateLimiterPostgres: typeof All.RateLimiterPostgres = require('rate-limiter-flexible/lib/RateLimiterPostgres.js')
export const RateLimiterMemory: typeof All.RateLimiterMemory = require('rate-limiter-flexible/lib/RateLimiterMemory.js')
export const RateLimiterRes: typeof All.RateLimiterRes = require('rate-limiter-flexible/lib/RateLimiterRes.js')
