import { statfs } from 'node:fs/promises'
import { presentBytes } from '../../api/ops/formats.ts'
import { readDatabaseGrowth } from '../../db/checks/database-growth.ts'
import type { Finding } from '../../db/checks/finding.ts'
import type { Check } from './check.ts'

/** Fewer datasets say little about the size of one. */
const ENOUGH_DATASETS = 1_000

const ERROR_DAYS = 7
const WARNING_DAYS = 30
const ERROR_BYTES = 1e9

/** Estimates when the disk of Postgres is full if nothing is deleted; with retention, it is full later or never. */
export const checkDisk: Check = {
  name: 'disk',
  async run({ tables, options }) {
    const { bytes, datasetBytes, datasets, datasetsPerDay, directory } = await readDatabaseGrowth(
      await tables(),
    )
    const size = `database of ${presentBytes(bytes)}`
    const perDay = datasets >= ENOUGH_DATASETS ? datasetsPerDay * (datasetBytes / datasets) : undefined
    const growth =
      perDay === undefined
        ? `growth unknown with fewer than ${ENOUGH_DATASETS} datasets`
        : `up to ${presentBytes(perDay)} a day at ${Math.round(datasetsPerDay)} datasets a day`
    const free = options.diskFree ?? (await readFree(directory))
    const findings: Finding[] =
      free === undefined
        ? [
            {
              level: 'note',
              message: 'The free space of the disk of Postgres cannot be seen from here',
              remedy:
                'Give it with --disk-free, such as --disk-free 50GB, from df on its machine or the page of your provider',
            },
          ]
        : judgeDisk(free, perDay)
    return {
      saw: [size, growth, ...(free === undefined ? [] : [`${presentBytes(free)} free`])].join(', '),
      findings,
    }
  },
}

/** @param perDay bytes that are added a day; undefined if unknown. */
export function judgeDisk(free: number, perDay: number | undefined): Finding[] {
  const days = perDay !== undefined && perDay > 0 ? free / perDay : Number.POSITIVE_INFINITY
  const level =
    days < ERROR_DAYS || free < ERROR_BYTES ? 'error' : days < WARNING_DAYS ? 'warning' : undefined
  if (level === undefined) return []
  const when = Number.isFinite(days) ? `, full in about ${Math.floor(days)} days` : ''
  return [
    {
      level,
      message: `The disk of Postgres has ${presentBytes(free)} free${when}: when it is full, uploads are answered 503`,
      remedy:
        'Enlarge the disk, shorten the retention of subscriptions, or store captures in object storage (docs/operations/object-storage.md)',
    },
  ]
}

/** Free bytes, where the directory of the data is one of this machine that this user may see. */
async function readFree(directory: string | null): Promise<number | undefined> {
  if (directory === null) return undefined
  const stats = await statfs(directory).catch(() => undefined)
  return stats && stats.bavail * stats.bsize
}
