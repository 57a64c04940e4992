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
import { readReference } from '../../db/encryption/capture-reference.ts'
import { PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import { discardCaptures } from '../../db/object-store/orphans.ts'
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
 *
 * @returns the errors of those that cannot be decrypted, which stay as they are.
 */
export async function assembleDatasets(
  db: Db,
  keys: readonly DatasetKey[],
  vault: Vault = PLAIN_VAULT,
): Promise<unknown[]> {
  const failures: unknown[] = []
  for (let from = 0; from < keys.length; from += STEP_DATASETS) {
    const collected = await listCollected(db, keys.slice(from, from + STEP_DATASETS))
    const assembled: AssembledDataset[] = []
    for (const dataset of collected)
      try {
        assembled.push({ ...dataset, blob: await assembleBlob(dataset, vault) })
      } catch (error) {
        failures.push(error)
      }
    if (assembled.length === 0) continue
    await storeAssembled(db, assembled)
    for (const { subscriptionId, blob } of assembled) {
      const written = readReference(blob)
      if (written) await discardCaptures(db, subscriptionId, [written.id]) // of a dataset that was deleted or assembled meanwhile
    }
  }
  return failures
}

async function assembleBlob(dataset: CollectedDataset, vault: Vault): Promise<Buffer> {
  const { subscriptionId, publicId: name, segments: bodies, numbers } = dataset
  const segments: Segment[] = []
  for (const [at, body] of bodies.entries()) {
    const owner = { subscriptionId, kind: 'segment', name: `${name} ${numbers[at]}` } as const
    const segment = await readSegment(await vault.open(owner, body))
    if (segment) segments.push(segment)
  }
  const blob = await deflate(JSON.stringify(assembleCapture(dataset, segments)))
  return vault.sealBlob({ subscriptionId, kind: 'capture', name }, blob)
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
