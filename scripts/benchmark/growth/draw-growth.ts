import { px } from '../../reports/svg-parts.ts'
import { type Cost, GROWTH_MEASURES, processorUs } from './measures.ts'
import { growthOf } from './present-growth.ts'
import type { GrowthPoint } from './run-growth.ts'

const WIDTH = 900
const LEFT = 60
const RIGHT = 640
const PANEL_HEIGHT = 420
const TOP = 64
const BOTTOM = 380

/** Distance of the labels, which stand in the order of the last values. */
const LABEL_HEIGHT = 12.5

/** The least range of the axis, so that flat lines look flat. */
const LEAST = { low: 0.5, high: 2 }

/** Draws processor time and pages of each measure against the number of datasets, as shares of those at the smallest size. */
export function drawGrowth(points: readonly GrowthPoint[]): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${2 * PANEL_HEIGHT}" width="${WIDTH}" height="${2 * PANEL_HEIGHT}" font-family="system-ui, sans-serif" font-size="11" fill="#333">`,
    '<title>Cost against the number of stored datasets</title>',
    `<rect width="${WIDTH}" height="${2 * PANEL_HEIGHT}" fill="#fff"/>`,
    drawPanel(points, 'Processor time', processorUs, 0),
    drawPanel(points, 'Pages touched', ({ pages }) => pages, PANEL_HEIGHT),
    '</svg>',
  ].join('\n')}\n`
}

function drawPanel(
  points: readonly GrowthPoint[],
  title: string,
  pick: (cost: Cost) => number,
  offset: number,
): string {
  const lines = GROWTH_MEASURES.map((measure, at) => ({
    name: measure.name,
    colour: `hsl(${Math.round((at * 360) / GROWTH_MEASURES.length)} 65% 40%)`,
    growth: growthOf(points, measure, pick),
  })).filter(({ growth }) => growth.every((value) => Number.isFinite(value) && value > 0))
  const values = lines.flatMap(({ growth }) => growth)
  const low = Math.min(LEAST.low, ...values)
  const high = Math.max(LEAST.high, ...values)
  const sizes = points.map(({ datasets }) => datasets)
  const [smallest = 1, largest = 1] = [sizes[0], sizes.at(-1)]
  const x = (datasets: number) =>
    LEFT + (Math.log(datasets / smallest) / (Math.log(largest / smallest) || 1)) * (RIGHT - LEFT)
  const y = (growth: number) =>
    offset + BOTTOM - (Math.log(growth / low) / Math.log(high / low)) * (BOTTOM - TOP)
  const ticks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].filter(
    (tick) => tick >= low && tick <= high,
  )
  const labels = lines.toSorted((a, b) => (b.growth.at(-1) ?? 0) - (a.growth.at(-1) ?? 0))
  const ends = labels.map(({ growth }) => y(growth.at(-1) ?? 1))
  const labelsAt = spread(ends, offset + TOP, offset + BOTTOM)
  return [
    `<text x="${LEFT}" y="${offset + 26}" font-size="16" font-weight="600">${title} against stored datasets, as a multiple of the smallest size</text>`,
    `<text x="${LEFT}" y="${offset + 44}" fill="#777">shaded: within 10 %</text>`,
    `<rect x="${LEFT}" y="${px(y(1.1))}" width="${RIGHT - LEFT}" height="${px(y(0.9) - y(1.1))}" fill="#e8f3ec"/>`,
    ...ticks.map(
      (tick) =>
        `<path d="M${LEFT} ${px(y(tick))}H${RIGHT}" stroke="#e4e4e4"/><text x="${LEFT - 8}" y="${px(y(tick) + 4)}" text-anchor="end" fill="#777">${tick}×</text>`,
    ),
    ...sizes.map(
      (datasets) =>
        `<text x="${px(x(datasets))}" y="${offset + BOTTOM + 18}" text-anchor="middle" fill="#777">${datasets.toLocaleString('en-US')}</text>`,
    ),
    ...labels.flatMap(({ name, colour, growth }, rank) => {
      const [end = 0, labelAt = 0] = [ends[rank], labelsAt[rank]]
      const path = growth.map((value, at) => `${px(x(sizes[at] ?? 1))},${px(y(value))}`).join(' ')
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${path}"/>`,
        `<path d="M${RIGHT} ${px(end)}L${RIGHT + 24} ${px(labelAt)}" stroke="${colour}" stroke-width="0.5"/>`,
        `<text x="${RIGHT + 28}" y="${px(labelAt + 4)}" fill="${colour}">${name} ${(growth.at(-1) ?? 1).toFixed(2)}×</text>`,
      ]
    }),
  ].join('\n')
}

/** Moves ascending positions apart by the height of a label, within the bounds as far as they have room. */
function spread(positions: readonly number[], top: number, bottom: number): number[] {
  const spaced: number[] = []
  for (const position of positions)
    spaced.push(Math.max(position, (spaced.at(-1) ?? top - LABEL_HEIGHT) + LABEL_HEIGHT))
  return spaced.map((position, at) => Math.min(position, bottom - (spaced.length - 1 - at) * LABEL_HEIGHT))
}
