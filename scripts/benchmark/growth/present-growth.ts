import { presentRows } from '../../reports/present-rows.ts'
import { presentNumber } from '../numbers.ts'
import { type Cost, costOf, GROWTH_MEASURES, type GrowthMeasure, processorUs } from './measures.ts'
import type { GrowthPoint } from './run-growth.ts'

/** Most that a cost may grow from the smallest size to the largest. */
const TARGETS = { processor: 1.1, p99: 1.25 }

/** Cost of a measure by size, in the order of the sizes. */
const costsOf = (points: readonly GrowthPoint[], { name }: GrowthMeasure): Cost[] =>
  points.map(({ samples }) => costOf(samples, name))

/** The value at each size as a share of that at the smallest. */
export function growthOf(
  points: readonly GrowthPoint[],
  measure: GrowthMeasure,
  pick: (cost: Cost) => number,
): number[] {
  const values = costsOf(points, measure).map(pick)
  return values.map((value) => value / (values[0] ?? Number.NaN))
}

const presentSize = (datasets: number) =>
  datasets >= 1_000_000 ? `${datasets / 1_000_000} million` : datasets.toLocaleString('en-US')

const presentGrowth = (growth: number) => (Number.isFinite(growth) ? `${growth.toFixed(2)}×` : '–')

/** Formats the growth of all measures from the smallest size to the largest, then what each costs at every size. */
export function presentGrowthTables(points: readonly GrowthPoint[]): string {
  const sizes = points.map(({ datasets }) => presentSize(datasets))
  const growth = GROWTH_MEASURES.map((measure) => {
    const largest = (pick: (cost: Cost) => number) => growthOf(points, measure, pick).at(-1) ?? Number.NaN
    const [processor, pages, p99] = [
      largest(processorUs),
      largest((cost) => cost.pages),
      largest((cost) => cost.p99Ms),
    ]
    return [
      ...[measure.name, measure.per],
      ...[processor, pages, p99].map(presentGrowth),
      processor <= TARGETS.processor && !(p99 > TARGETS.p99) ? 'met' : 'missed', // a pass has no p99
    ]
  })
  const costs = GROWTH_MEASURES.flatMap((measure) =>
    costsOf(points, measure).map((cost, at) => [
      ...[at === 0 ? measure.name : '', at === 0 ? measure.per : '', sizes[at] ?? ''],
      ...[cost.webUs, cost.workerUs].map((us) => (us === 0 ? '' : presentNumber(us))),
      ...[cost.postgresUs, cost.pages, cost.p50Ms, cost.p99Ms].map(presentNumber),
    ]),
  )
  const stored = points.map(
    ({ samples }, at) => `${presentNumber(samples.median('stored: bytes') / 1_000)} KB at ${sizes[at]}`,
  )
  return [
    presentRows(
      [
        'measure',
        'per',
        `processor time, ${sizes.at(-1)} vs ${sizes[0]}`,
        'pages',
        'p99',
        `at most ${TARGETS.processor}× and p99 ${TARGETS.p99}×`,
      ],
      growth,
    ),
    presentRows(
      ['measure', 'per', 'datasets', 'web µs', 'worker µs', 'Postgres µs', 'pages', 'p50 ms', 'p99 ms'],
      costs,
    ),
    `Stored per dataset, with indexes and a small capture: ${stored.join(', ')}.`,
  ].join('\n\n')
}

/** Returns the object that `--growth --json` prints: the costs of each measure by size. */
export function summariseGrowth(points: readonly GrowthPoint[]): object {
  return {
    sizes: points.map(({ datasets }) => datasets),
    storedBytesPerDataset: points.map(({ samples }) => Math.round(samples.median('stored: bytes'))),
    measures: GROWTH_MEASURES.map((measure) => ({
      ...{ name: measure.name, per: measure.per },
      costs: costsOf(points, measure).map((cost) =>
        Object.fromEntries(Object.entries(cost).map(([name, value]) => [name, Number(value.toPrecision(4))])),
      ),
    })),
  }
}
