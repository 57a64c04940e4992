import { z } from 'zod'
import type { Admin } from './admin.ts'

const SiteKey = z.object({
  key: z.string(),
  level: z.string(),
  origins: z.array(z.string()),
  state: z.string(),
})

/** Returns a live site key of level claimed for pages of the origin: reuses the one of an earlier run, otherwise creates one. */
export async function findSiteKey(admin: Admin, subscriptionId: number, origin: string): Promise<string> {
  const id = String(subscriptionId)
  const { keys } = z.object({ keys: z.array(SiteKey) }).parse(await admin(['site-key', 'list', id]))
  const known = keys.find(
    ({ level, origins, state }) => level === 'claimed' && state === 'live' && origins.includes(origin),
  )
  const options = ['--origin', origin, '--level', 'claimed', '--label', 'demo form']
  return (known ?? SiteKey.parse(await admin(['site-key', 'create', id, ...options]))).key
}
