import { LRUCache } from 'lru-cache'
import { addScoreCounts, type ScoreCount } from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scored } from '../batches/compute-insight.ts'

/** Characteristics of all versions whose bins are remembered. */
const MAX_CHARACTERISTICS = 20_000

/** Bins of a characteristic that are told apart; a model of many categories may have any number. */
const MAX_BINS = 100

/** Counts what scorecards say, for monitoring. */
export interface ScoreCounts {
  /** Of datasets that were settled: each one once. */
  add(subscriptionId: number, scored: readonly Scored[]): void
  /** Writes what was counted since the last time; what cannot be written is kept for the next time. */
  flush(): Promise<void>
}

/**
 * Opens counting in this process: some 0.2 µs a characteristic, and a few hundred rows a scorecard and day, however many
 * datasets. A process that is killed loses what it counted since the last flush.
 */
export function openScoreCounts(db: Db, now: () => Date = () => new Date()): ScoreCounts {
  let counts = new Map<string, ScoreCount & { datasets: number }>()
  const bins = new LRUCache<string, Set<string>>({ max: MAX_CHARACTERISTICS })

  /** The bin, or `other` where there are too many. */
  function binOf(version: string, characteristic: string, bin: string): string {
    const name = `${version} ${characteristic}`
    const known = bins.get(name) ?? new Set()
    if (known.size === 0) bins.set(name, known)
    if (known.has(bin) || known.size < MAX_BINS) return known.add(bin) && bin
    return 'other'
  }

  function count(of: Omit<ScoreCount, 'datasets'>): void {
    const key = `${of.subscriptionId} ${of.version} ${of.day} ${of.code}\n${of.characteristic}\n${of.bin}`
    const counted = counts.get(key)
    if (counted) counted.datasets++
    else counts.set(key, { ...of, datasets: 1 })
  }

  return {
    add(subscriptionId, scored) {
      const day = now().toISOString().slice(0, 10)
      for (const { code, version, score } of scored) {
        const of = { subscriptionId, code, version, day }
        count({
          ...of,
          characteristic: '',
          bin: score.value === null ? '' : String(threeDigits(score.value)),
        })
        if (score.value === null) continue
        for (const { characteristic, bin } of score.contributions)
          count({ ...of, characteristic, bin: binOf(version, characteristic, bin) })
      }
    },
    async flush() {
      if (counts.size === 0) return
      const taken = counts
      counts = new Map()
      try {
        await addScoreCounts(db, [...taken.values()])
      } catch (error) {
        for (const [key, { datasets, ...of }] of taken) {
          const since = counts.get(key)
          counts.set(key, { ...of, datasets: datasets + (since?.datasets ?? 0) })
        }
        throw error
      }
    },
  }
}

/** Scores are usually of three digits and stay as they are; others are told apart by three. */
const threeDigits = (value: number) => Number(value.toPrecision(3))
