import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Backlog, measureBacklog } from '../../db/datasets/backlog.ts'
import type { Db } from '../../db/postgres/database.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import type { BatchOutcome } from '../batches/batch-context.ts'
import type { ScoreStability } from '../monitoring/score-stability.ts'
import type { Progress } from './progress.ts'

/** Datasets counted at most, and how long Postgres may take for it. */
const BACKLOG = { limit: 10_000, patienceMs: 2_000 }

const UNKNOWN: Backlog = { datasets: Number.NaN, oldestSeconds: Number.NaN }

/** What this process has done, in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string
  /** Counts a job by its outcome, which it returns. */
  countJob(job: Promise<void>): Promise<void>
  countBatch(outcome: BatchOutcome): void
  /** Shows how far scores have shifted, of these scorecards and no others. */
  setStability(measured: readonly ScoreStability[]): void
  /** Resolves within about 2 s, whatever the stores do. */
  present(): Promise<string>
}

export function openMetrics({ db, progress }: { db: Db; progress: Progress }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })

  const jobs = new Counter({
    name: 'inkling_worker_jobs_total',
    help: 'Jobs that ended, by outcome: done, or failed and perhaps retried',
    labelNames: ['outcome'],
    registers,
  })
  const datasets = new Counter({
    name: 'inkling_worker_datasets_total',
    help: 'Datasets processed, by outcome: ready, invalid (their data cannot be decoded), or failed and still waiting',
    labelNames: ['outcome'],
    registers,
  })
  const batchSeconds = new Histogram({
    name: 'inkling_worker_group_seconds',
    help: 'Time from reading the datasets of a batch until they are settled',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  for (const outcome of ['done', 'failed']) jobs.inc({ outcome }, 0)
  for (const outcome of ['ready', 'invalid', 'failed']) datasets.inc({ outcome }, 0)

  new Gauge({
    name: 'inkling_worker_stuck',
    help: '1 while work waits and this process makes no progress, else 0',
    registers,
    collect() {
      this.set(progress.findStuck() ? 1 : 0)
    },
  })
  const waiting = new Gauge({
    name: 'inkling_datasets_waiting',
    help: `Datasets that wait to be processed, counted up to ${BACKLOG.limit}; the same for every worker. NaN: Postgres is away`,
    registers,
  })
  const oldest = new Gauge({
    name: 'inkling_datasets_waiting_oldest_seconds',
    help: 'Time since the upload of the oldest of them that was never settled; 0 where there is none',
    registers,
  })

  const psi = new Gauge({
    name: 'inkling_score_psi',
    help: 'Shift of the scores of yesterday against what is expected, or against the first 30 days: 0.10 to look into, 0.25 shifted; the same for every worker',
    labelNames: ['subscription', 'code', 'version'],
    registers,
  })
  const csi = new Gauge({
    name: 'inkling_score_csi',
    help: 'The same of the bins of a characteristic; of the three of each scorecard that have shifted most',
    labelNames: ['subscription', 'code', 'version', 'characteristic'],
    registers,
  })

  let presenting: Promise<string> | undefined
  async function present(): Promise<string> {
    const measured = withTimeout(BACKLOG.patienceMs, 'Postgres', measureBacklog(db, BACKLOG.limit))
    const backlog = await measured.catch(() => UNKNOWN)
    waiting.set(backlog.datasets)
    oldest.set(backlog.oldestSeconds)
    return registry.metrics()
  }

  return {
    contentType: registry.contentType,
    async countJob(job) {
      try {
        await job
        jobs.inc({ outcome: 'done' })
      } catch (error) {
        jobs.inc({ outcome: 'failed' })
        throw error
      }
    },
    countBatch({ ready, invalid, failed, ms }) {
      datasets.inc({ outcome: 'ready' }, ready)
      datasets.inc({ outcome: 'invalid' }, invalid)
      datasets.inc({ outcome: 'failed' }, failed)
      batchSeconds.observe(ms / 1_000)
    },
    setStability(measured) {
      psi.reset()
      csi.reset()
      for (const { subscriptionId, code, version, psi: ofScores, characteristics } of measured) {
        const labels = { subscription: subscriptionId, code, version: version.slice(0, 12) }
        psi.set(labels, ofScores)
        for (const { name, csi: ofBins } of characteristics)
          csi.set({ ...labels, characteristic: name }, ofBins)
      }
    },
    present() {
      // Postgres is asked once, however many want to know at the same time
      presenting ??= present().finally(() => {
        presenting = undefined
      })
      return presenting
    },
  }
}
