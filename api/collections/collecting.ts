import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type AppendOutcome, appendSegments, type NewSegment } from '../../db/collections/append-segments.ts'
import { type KnownCollection, makePublicId } from '../../db/collections/collections.ts'
import {
  type CompleteOutcome,
  type Completion,
  completeCollections,
} from '../../db/collections/complete-collections.ts'
import type { CollectedDataset } from '../../db/collections/insert-datasets.ts'
import {
  type NewCollection,
  type OpenOutcome,
  openCollections,
} from '../../db/collections/open-collections.ts'
import { COLLECTION_LIMITS, type Segment } from '../../db/collections/segment.ts'
import type { SiteKeyCounter } from '../../db/collections/site-key-use.ts'
import type { AdditionalInfo } from '../../db/datasets/datasets.ts'
import { sealAddress, sealInfo } from '../../db/encryption/personal-data.ts'
import { PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import type { PipelineCounter } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { openBatches } from '../batches.ts'
import { openEnqueueReceived } from '../datasets/enqueue-received.ts'
import { Problem, type ProblemCode } from '../http/problem.ts'
import type { BrowserBody } from '../http/read-browser-body.ts'
import type { Limiter } from '../limits/limiter.ts'

const MAX_BATCH = 128

const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** Least time between the starts of two batches of segments, for which no user waits. An upload beside them has its processors and disk. */
const SEGMENTS_SPACING_MS = 25

/** Opens, fills and completes collections; what they have of a person is encrypted. What resolves is committed. */
export interface Collecting {
  open(collection: NewCollection & { readonly additionalInfo: AdditionalInfo }): Promise<OpenOutcome>
  /**
   * Stores a segment, now or before. `append` may wait for others up to 25 ms; `appendLast` does not, since a user waits for it.
   *
   * @param received the body that is the segment; without one it is part of another body.
   * @throws Problem `segment_invalid`, `collection_closed`, `collection_full`, `collection_not_found` or `subscription_suspended`.
   */
  append(collection: KnownCollection, segment: Segment, received?: BrowserBody): Promise<void>
  appendLast(collection: KnownCollection, segment: Segment): Promise<void>
  complete(completion: Completion & Pick<KnownCollection, 'publicId'>): Promise<CompleteOutcome>
  /** Enqueues and counts a dataset that a collection has just become. */
  announce(dataset: CollectedDataset): void
}

const REJECTIONS: Record<Exclude<AppendOutcome, 'stored'>, ProblemCode> = {
  closed: 'collection_closed',
  full: 'collection_full',
  suspended: 'subscription_suspended',
  unknown: 'collection_not_found',
}

/**
 * Opens collecting. Requests that arrive while a commit is in progress share the next one, apart from those of uploads: one statement
 * for each kind of request, which together use four connections at most.
 */
export function openCollecting({
  db,
  producer,
  counts,
  siteKeyUse,
  limiter,
  vault = PLAIN_VAULT,
}: {
  db: Db
  producer: QueueProducer
  counts: Pick<PipelineCounter, 'countUpload'>
  siteKeyUse: Pick<SiteKeyCounter, 'add'>
  limiter: Pick<Limiter, 'countBytes'>
  vault?: Vault
}): Collecting {
  const enqueue = openEnqueueReceived(producer)
  const opens = openBatches({
    maxItems: MAX_BATCH,
    work: (collections: readonly NewCollection[]) => openCollections(db, collections),
  })
  const appending = {
    maxItems: MAX_BATCH,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf: ({ body }: NewSegment) => body.length,
    work: (segments: readonly NewSegment[]) => appendSegments(db, segments),
  }
  const appends = openBatches({ ...appending, spacingMs: SEGMENTS_SPACING_MS })
  const lastAppends = openBatches(appending)

  async function appendBy(
    batches: typeof appends,
    { subscriptionId, id, publicId, siteKeyId }: KnownCollection,
    segment: Segment,
    received?: BrowserBody,
  ): Promise<void> {
    const json = received ? received.wire : Buffer.from(JSON.stringify(segment))
    const bytes = received?.bytes ?? json.length
    if (bytes > COLLECTION_LIMITS.inflatedBytes) throw new Problem('segment_invalid', { detail: TOO_LARGE })
    const { n } = segment
    const body = received?.gzipped ? json : await compress(json)
    const outcome = await batches.add({
      ...{ subscriptionId, collectionId: id, n, bytes },
      body: await vault.sealBlob({ subscriptionId, kind: 'segment', name: `${publicId} ${n}` }, body),
      events: segment.events?.length ?? 0,
    })
    if (outcome !== 'stored') throw new Problem(REJECTIONS[outcome])
    siteKeyUse.add({ subscriptionId, siteKeyId, bytes })
    limiter.countBytes({ subscriptionId }, body.length)
  }

  const announceAll = (datasets: readonly CollectedDataset[]): void => {
    enqueue(datasets.map(({ subscriptionId, datasetId }) => ({ subscriptionId, id: datasetId })))
    for (const { subscriptionId, uploadDate } of datasets)
      counts.countUpload(subscriptionId, Date.parse(`${uploadDate}Z`))
  }
  const completions = openBatches({
    maxItems: MAX_BATCH,
    async work(batch: readonly Completion[]) {
      const outcomes = await completeCollections(db, batch)
      announceAll(
        outcomes.flatMap((one) => (one.outcome === 'completed' && one.toEnqueue ? [one.toEnqueue] : [])),
      )
      return outcomes
    },
  })

  return {
    async open(collection) {
      const publicId = makePublicId()
      const owner = { subscriptionId: collection.subscriptionId, name: publicId }
      return opens.add({
        ...collection,
        publicId,
        ...(await sealInfo(vault, owner, collection.additionalInfo)),
        ...(await sealAddress(vault, owner, collection.address)),
      })
    },
    async complete({ publicId, ...completion }) {
      const owner = { subscriptionId: completion.subscriptionId, name: publicId }
      return completions.add({ ...completion, ...(await sealAddress(vault, owner, completion.address)) })
    },
    announce: (dataset) => announceAll([dataset]),
    append: (...segment) => appendBy(appends, ...segment),
    appendLast: (...segment) => appendBy(lastAppends, ...segment),
  }
}

const TOO_LARGE = `A segment has at most ${COLLECTION_LIMITS.inflatedBytes} bytes of JSON`

/** On libuv's threads: the last segment of a page arrives plain, up to 64 KiB. */
const compress = promisify(gzip)
