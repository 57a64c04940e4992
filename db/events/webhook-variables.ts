import { networkList } from '../runtime/env.ts'

/** Where receivers of webhooks may be besides the Internet; undefined, outside of production, is everywhere. */
export const webhookVariables = (env: NodeJS.ProcessEnv) => ({
  WEBHOOK_PRIVATE_NETWORKS: env.NODE_ENV === 'production' ? networkList.default([]) : networkList.optional(),
})
