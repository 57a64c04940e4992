import type { components } from '../../client/openapi.d.ts'

export type SiteKey = components['schemas']['SiteKey']

/** Query key of the lists of site keys. */
export const SITE_KEYS_QUERY = ['get', '/api/site-keys/v1'] as const
