import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  type AssembledDataset,
  type CollectedDataset,
  listCollected,
  storeAssembled,
} from '../../db/collections/assembly.ts'
import { COLLECTION_LIMITS, Segment } from '../../db/collections/segment.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { Db } from '../../db/postgres/database.ts'
import { assembleCapture } from './assemble-capture.ts'

const inflate = promisify(gunzip)
const deflate = promisify(gzip)

/** Datasets whose segments and blobs are in memory at the same time: at most 4 MiB of segments each. */
const STEP_DATASETS = 8

/**
 * Assembles the captures of those of the waiting datasets that browsers collected in segments. Afterwards each has its blob, like a
 * dataset that was uploaded.
 *
 * Safe to repeat, and to run in two workers at once: a blob is stored once, and in the same transaction its segments are removed.
 */
export async function assembleDatasets(db: Db, keys: readonly DatasetKey[]): Promise<void> {
  for (let from = 0; from < keys.length; from += STEP_DATASETS) {
    const collected = await listCollected(db, keys.slice(from, from + STEP_DATASETS))
    const assembled: AssembledDataset[] = []
    for (const dataset of collected) assembled.push({ ...dataset, blob: await assembleBlob(dataset) })
    if (assembled.length > 0) await storeAssembled(db, assembled)
  }
}

async function assembleBlob(dataset: CollectedDataset): Promise<Buffer> {
  const segments: Segment[] = []
  for (const body of dataset.segments) {
    const segment = await readSegment(body)
    if (segment) segments.push(segment)
  }
  return deflate(JSON.stringify(assembleCapture(dataset, segments)))
}

/** Returns a stored segment; undefined if this version cannot read it: it was valid when it was stored, perhaps by another version. */
async function readSegment(body: Buffer): Promise<Segment | undefined> {
  try {
    const json = await inflate(body, { maxOutputLength: COLLECTION_LIMITS.inflatedBytes })
    return Segment.parse(JSON.parse(json.toString('utf8')))
  } catch {
    return undefined
  }
}
