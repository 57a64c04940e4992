import type { Presented } from '../../db/metrics/metrics-page.ts'
import { openRegistry } from '../../db/metrics/open-registry.ts'
import { addPoolMetrics } from '../../db/metrics/pool-metrics.ts'
import type { Db } from '../../db/postgres/database.ts'
import { shareConcurrent } from '../../db/runtime/share-concurrent.ts'
import type { ScoreStability } from '../monitoring/score-stability.ts'
import type { Progress } from './progress.ts'
import { openStabilityMetrics } from './stability-metrics.ts'
import { openStoredMetrics } from './stored-metrics.ts'
import { openWorkMetrics, type WorkMetrics } from './work-metrics.ts'

/** Metrics of this process in the text format of Prometheus. */
export interface Metrics extends WorkMetrics, Presented {
  /** Replaces the score stability metrics with those of these scorecards. */
  setStability(measured: readonly ScoreStability[]): void
  /** Resolves within about 2 s, even if Postgres is unavailable. */
  present(): Promise<string>
}

export function openMetrics({ db, progress }: { db: Db; progress: Progress }): Metrics {
  const registry = openRegistry()
  addPoolMetrics(registry, { primary: db })
  const work = openWorkMetrics(registry, progress)
  const setStability = openStabilityMetrics(registry)
  const readStored = openStoredMetrics(registry, db)

  async function present(): Promise<string> {
    await readStored()
    return registry.metrics()
  }

  return {
    ...work,
    contentType: registry.contentType,
    setStability,
    present: shareConcurrent(present),
  }
}
