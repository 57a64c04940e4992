import { recordAudit } from '../audit/audit-events.ts'
import type { Db } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { DatasetSelection } from './datasets.ts'
import { listSelected, requeueDatasets } from './requeue-datasets.ts'

/** Datasets looked at in one transaction, which takes about a second if all of them are requeued. */
const PAGE_ROWS = 5_000

/** A part of what is to be processed again. */
export interface RequeuedPage {
  readonly keys: readonly DatasetKey[]
  /** Meant, but retention has removed their data. */
  readonly withoutData: number
  /** Where the next page begins; null at the end. */
  readonly afterId: number | null
}

/**
 * Makes the next page of a subscription's invalid datasets wait again, as `requeueDatasets` does, and records that for the
 * audit. Those that wait already are left alone, so that the same wish twice does nothing twice.
 */
export async function requeueInvalid(
  db: Db,
  subscriptionId: number,
  selection: Pick<DatasetSelection, 'reason' | 'since' | 'until'>,
  { afterId, actor }: { afterId: number; actor: string },
): Promise<RequeuedPage> {
  return db.transaction(async (trx) => {
    const page = await listSelected(
      trx,
      subscriptionId,
      { ...selection, status: 'invalid', settled: true },
      { afterId, limit: PAGE_ROWS },
    )
    const { ids, ...rest } = page
    const keys =
      ids.length === 0
        ? []
        : await requeueDatasets(
            trx,
            ids.map((id) => ({ subscriptionId, id })),
            actor,
          )
    if (keys.length > 0)
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'dataset.reprocess',
        detail: { status: 'invalid', ...selection, datasets: keys.length },
      })
    return { keys, ...rest }
  })
}
