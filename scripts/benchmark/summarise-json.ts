import type { BenchPlan } from './bench-plan.ts'
import { CONNECTIONS } from './measure-accept.ts'
import { PROCESSOR_TIMES, shareOfBare } from './processor-time.ts'
import { medianOf, type Samples } from './samples.ts'

/** Returns the object that `--json` prints: medians of the rounds; each ratio is the median of the ratios per round. */
export function summariseJson(samples: Samples, plan: BenchPlan): object {
  const measure = (name: string, textbook: string, ceiling: string) => ({
    perSecond: round(samples.median(`${name}: perSecond`)),
    p50Ms: round(samples.median(`${name}: p50Ms`)),
    p99Ms: round(samples.median(`${name}: p99Ms`)),
    vsTextbook: round(medianOf(samples.ratios(`${name}: perSecond`, `${textbook}: perSecond`))),
    ofCeiling: round(medianOf(samples.ratios(`${name}: perSecond`, `${ceiling}: perSecond`))),
  })
  const upload = `typical ${CONNECTIONS}`
  return {
    processorTime: PROCESSOR_TIMES.map((time) => ({
      piece: time.piece,
      process: time.process,
      us: round(samples.median(time.inkling)),
      textbookUs: round(samples.median(time.textbook)),
      bareUs: time.bare ? round(samples.median(time.bare.sample)) : null,
      shareOfBare: round(shareOfBare(samples, time)),
    })),
    accept: measure(`accept inkling ${upload}`, `accept textbook ${upload}`, `accept koa ${upload}`),
    drain: measure('drain inkling 1', 'drain textbook 1', 'decode 1'),
    read: measure('read inkling cached', 'read textbook cached', 'read constant cached'),
    score: {
      pointsPerSecond: round(samples.median('score points inkling: perSecond')),
      vsTextbook: round(
        medianOf(samples.ratios('score points inkling: perSecond', 'score points textbook: perSecond')),
      ),
      treesPerSecond: round(samples.median('score trees inkling: perSecond')),
      treesVsTextbook: round(
        medianOf(samples.ratios('score trees inkling: perSecond', 'score trees textbook: perSecond')),
      ),
    },
    absorb: {
      offered: plan.absorbDatasets,
      acceptedS: round(samples.median('absorb inkling: acceptedS')),
      drainedS: round(samples.median('absorb inkling: drainedS')),
      idleP50Ms: round(samples.median('idle inkling: p50Ms')),
      idleP99Ms: round(samples.median('idle inkling: p99Ms')),
    },
  }
}

const round = (value: number) => Number(value.toPrecision(4))
