import { MAX_LIVE_SITE_KEYS } from '../../db/collections/site-keys.ts'
import { Problem } from '../http/problem.ts'

/** The subscription has as many live site keys as it may have. */
export const overLimit = () =>
  new Problem('conflict', {
    detail: `The subscription has ${MAX_LIVE_SITE_KEYS} live site keys, which is the limit; revoke some first`,
  })

/** The key was revoked or has expired, which is permanent. */
export const hasEnded = () =>
  new Problem('conflict', { detail: 'The site key was revoked or has expired; create another one' })
