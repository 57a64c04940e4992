import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '../../../api/http/problem.ts'
import { type Platform, SOURCE_OF_PLATFORM } from '../../../db/capture/capture.ts'
import { type Db, sixDigits } from '../../../db/postgres/database.ts'

/** Polling interval for a dataset that is still being processed, the same as Inkling's. */
const LOOK_EVERY_MS = 5

interface DatasetRow {
  readonly id: number
  readonly status: 'received' | 'ready' | 'invalid'
  readonly platform: Platform | null
  readonly upload_date: string
  readonly invalid_detail: string | null
}

/** Reads an insight from the normalised tables and records the request, in four queries. */
export async function readInsight(
  db: Db,
  request: {
    readonly subscriptionId: number
    readonly referenceNumber: string
    readonly requestor: string
    readonly address: string | undefined
    readonly waitMs: number
  },
): Promise<object> {
  const { referenceNumber, requestor } = request
  const dataset = await waitForDataset(db, request)
  const scores: object[] = await db('textbook.scores')
    .join('textbook.datasets', 'datasets.id', 'scores.dataset_id')
    .where('datasets.id', dataset.id)
    .orderBy('scores.code')
    .select('scores.code', 'scores.value', 'scores.probability')
  const fragments: object[] = await db('textbook.fragments')
    .join('textbook.datasets', 'datasets.id', 'fragments.dataset_id')
    .where('datasets.id', dataset.id)
    .orderBy('fragments.place')
    .select('fragments.code', 'fragments.value')
  const [record] = await db('textbook.insight_requests')
    .insert({ dataset_id: dataset.id, requestor, address: request.address ?? null })
    .returning([db.raw(`${sixDigits('requested_at')} as requested_date`)])
  return {
    datasetInfo: {
      referenceNumber,
      uploadDate: dataset.upload_date,
      source: dataset.platform && SOURCE_OF_PLATFORM[dataset.platform],
    },
    requestedDate: record.requested_date,
    requestor,
    scores,
    fragments,
  }
}

async function waitForDataset(
  db: Db,
  {
    subscriptionId,
    referenceNumber,
    waitMs,
  }: { subscriptionId: number; referenceNumber: string; waitMs: number },
): Promise<DatasetRow> {
  for (const deadline = performance.now() + waitMs; ; await delay(LOOK_EVERY_MS)) {
    const dataset: DatasetRow | undefined = await db('textbook.datasets')
      .where({ subscription_id: subscriptionId, reference_number: referenceNumber })
      .first(
        'id',
        'status',
        'platform',
        'invalid_detail',
        db.raw(`${sixDigits('uploaded_at')} as upload_date`),
      )
    if (!dataset) throw new Problem('dataset_not_found')
    if (dataset.status === 'invalid')
      throw new Problem('dataset_invalid', { detail: dataset.invalid_detail ?? 'It could not be decoded' })
    if (dataset.status === 'ready') return dataset
    if (performance.now() > deadline) throw new Problem('insight_not_ready')
  }
}
