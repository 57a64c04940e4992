import { latencyQuantile } from '../../db/monitoring/latency-histogram.ts'
import type { PipelineCount } from '../../db/monitoring/pipeline-counts.ts'

/** Counts and latencies of a time span. */
export interface PipelineSpan {
  readonly uploads: number
  readonly ready: number
  readonly invalid: number
  /** Median time from upload to settled, in milliseconds; null if none was settled. */
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
}

/** Summarises counts into steps of `stepMs` from `since`, including empty ones, and into a total. */
export function summariseCounts(
  counts: readonly PipelineCount[],
  { since, stepMs, steps }: { since: Date; stepMs: number; steps: number },
): {
  series: (PipelineSpan & { readonly at: Date })[]
  total: PipelineSpan
  invalidByReason: { reason: string; datasets: number }[]
} {
  const first = since.getTime()
  const byStep = Map.groupBy(counts, ({ minute }) => Math.floor((minute - first) / stepMs))
  const series = Array.from({ length: steps }, (_, step) => ({
    at: new Date(first + step * stepMs),
    ...summarise(byStep.get(step) ?? []),
  }))
  const reasons = addUp(counts.map(({ invalid }) => invalid))
  const invalidByReason = [...reasons]
    .map(([reason, datasets]) => ({ reason, datasets }))
    .sort((a, b) => b.datasets - a.datasets || (a.reason < b.reason ? -1 : 1))
  return { series, total: summarise(counts), invalidByReason }
}

function summarise(counts: readonly PipelineCount[]): PipelineSpan {
  const latencies = new Map(
    [...addUp(counts.map((count) => count.latencies))].map(([step, datasets]) => [Number(step), datasets]),
  )
  return {
    uploads: sum(counts.map(({ uploads }) => uploads)),
    ready: sum(counts.map(({ ready }) => ready)),
    invalid: sum(counts.flatMap(({ invalid }) => Object.values(invalid))),
    latencyP50Ms: latencyQuantile(latencies, 0.5),
    latencyP95Ms: latencyQuantile(latencies, 0.95),
  }
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const one of all)
    for (const [name, datasets] of Object.entries(one)) sums.set(name, (sums.get(name) ?? 0) + datasets)
  return sums
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
