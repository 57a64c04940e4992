import type { SiteKeyItem } from '../../db/collections/list-site-keys.ts'
import { createSiteKey } from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { anActor } from './actors.ts'

type NewSiteKey = Parameters<typeof createSiteKey>[1]

/** Creates a site key of a subscription; members replace those of a key for https://shop.example at level claimed. */
export async function addSiteKey(
  db: Db,
  members: Pick<NewSiteKey, 'subscriptionId'> & Partial<NewSiteKey>,
): Promise<SiteKeyItem> {
  const created = await createSiteKey(db, {
    ...{ actor: anActor('test'), label: 'shop', level: 'claimed', modules: [], maxCollectionsPerDay: 10_000 },
    origins: ['https://shop.example'],
    ...members,
  })
  if (created === 'limit') throw new Error('too many site keys')
  return created
}
