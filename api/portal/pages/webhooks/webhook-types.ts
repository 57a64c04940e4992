import type { components } from '../../client/openapi.d.ts'

export type Webhook = components['schemas']['Webhook']

/** Query key of the list of webhooks. */
export const WEBHOOKS_QUERY = ['get', '/api/webhooks/v1'] as const
