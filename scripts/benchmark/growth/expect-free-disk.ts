import { mkdirSync, statfsSync } from 'node:fs'
import { StartError } from '../../cli/start-error.ts'

/** A dataset of a small capture with its insight, events and indexes, measured, and a margin. */
const BYTES_PER_DATASET = 12_000

/** Postgres's log of changes, the uploads of the measurements, and the server itself. */
const OTHER_BYTES = 3e9

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/**
 * Checks that a directory has room for this number of datasets, and describes what they need.
 *
 * @throws StartError if it has not.
 */
export function expectFreeDisk(directory: string, datasets: number): string {
  mkdirSync(directory, { recursive: true })
  const { bavail, bsize } = statfsSync(directory)
  const [needed, free] = [datasets * BYTES_PER_DATASET + OTHER_BYTES, bavail * bsize]
  const text = `${datasets.toLocaleString('en-US')} datasets need about ${gigabytes(needed)} in ${directory}, which has ${gigabytes(free)} free`
  if (free < needed)
    throw new StartError(`${text}. Use fewer with --sizes, or another directory with --data.`)
  return text
}
