import { px } from '../reports/svg-parts.ts'
import { RULES } from './rules.ts'
import type { RuleDay, SimulationOutcome } from './run-simulation.ts'
import { OBJECTIVE, PER_WORKER, SCALE, WORKERS } from './simulation-plan.ts'
import { summariseDay } from './summarise-days.ts'

const WIDTH = 800
const LEFT = 50
const RIGHT = 750
const TOP = 90
const PANEL = 90
const GAP = 62

const COLOURS = { load: '#5f6b73', workers: '#0b6e99', age: '#c2571a', objective: '#b3261e', axis: '#777' }

/** Age at the top of a panel, in seconds of a real day; longer ones are drawn there. */
const HIGHEST_AGE = 120

/** Steps of the day in which uploads are counted. */
const LOAD_STEPS = 144

type Axis = (value: number) => number

const x: Axis = (hour) => LEFT + (hour / 24) * (RIGHT - LEFT)

const axisOf =
  (top: number, most: number): Axis =>
  (value) =>
    top + PANEL * (1 - Math.min(value, most) / most)

/** Draws the load of the day and, for each rule, its workers and the age of the oldest dataset as an SVG. */
export function drawDays(outcome: SimulationOutcome): string {
  const { days } = outcome
  const height = TOP + (days.length + 1) * (PANEL + GAP)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    '<title>Load, running workers and age of the oldest dataset in a day with different rules of autoscaling</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="28" font-size="16" font-weight="600">A day with different rules of autoscaling</text>`,
    `<text x="${LEFT}" y="48" fill="${COLOURS.workers}">area: running workers</text>`,
    `<text x="${LEFT + 170}" y="48" fill="${COLOURS.age}">line: age of the oldest waiting dataset, seconds</text>`,
    `<text x="${RIGHT}" y="48" text-anchor="end" fill="${COLOURS.objective}">dashed: ${OBJECTIVE.seconds} s</text>`,
    ...drawLoad(outcome),
    ...days.flatMap((day, at) => drawDay(day, TOP + (at + 1) * (PANEL + GAP))),
    '</svg>',
  ].join('\n')}\n`
}

function drawLoad({ arrivals, dayMs }: SimulationOutcome): string[] {
  const counts = Array.from({ length: LOAD_STEPS }, () => 0)
  for (const hour of arrivals) {
    const step = Math.min(LOAD_STEPS - 1, Math.floor((hour / 24) * LOAD_STEPS))
    counts[step] = (counts[step] ?? 0) + 1
  }
  const loads = counts.map((uploads) => uploads / (dayMs / 1_000 / LOAD_STEPS) / PER_WORKER)
  const most = Math.max(WORKERS.max, ...loads)
  const y = axisOf(TOP, most)
  const points = loads.flatMap((load, step) =>
    [step, step + 1].map((at) => `${px(x((at / LOAD_STEPS) * 24))},${px(y(load))}`),
  )
  return [
    drawTitle(TOP, 'Load, in workers that it needs'),
    ...drawHours(TOP),
    drawTick(y(WORKERS.max), WORKERS.max),
    drawTick(y(most), Math.round(most)),
    `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS.load}" stroke-width="1.5"/>`,
  ]
}

function drawDay(day: RuleDay, top: number): string[] {
  const { inTime, workerHours } = summariseDay(day)
  const y = axisOf(top, WORKERS.max)
  const z = axisOf(top, HIGHEST_AGE)
  const { looks } = day
  const steps = looks.flatMap(({ hour, running }, at) =>
    [hour, looks[at + 1]?.hour ?? 24].map((edge) => `${px(x(edge))},${px(y(running))}`),
  )
  const ages = looks.map(({ hour, oldestSeconds }) => `${px(x(hour))},${px(z(oldestSeconds * SCALE))}`)
  const bottom = px(top + PANEL)
  return [
    drawTitle(top, `${day.name}: ${RULES[day.name].describe.replaceAll('`', '')}`),
    `<text x="${RIGHT}" y="${top + PANEL + 36}" text-anchor="end">${(Math.floor(inTime * 1_000) / 10).toFixed(1)} % within ${OBJECTIVE.seconds} s, ${workerHours.toFixed(0)} worker-hours</text>`,
    ...drawHours(top),
    ...[1, 2, 3, 4].filter((tick) => tick <= WORKERS.max).map((tick) => drawTick(y(tick), tick)),
    ...[0, OBJECTIVE.seconds, HIGHEST_AGE].map((tick) => drawAge(z(tick), tick)),
    `<polygon points="${px(LEFT)},${bottom} ${steps.join(' ')} ${px(RIGHT)},${bottom}" fill="${COLOURS.workers}" opacity="0.25"/>`,
    `<path d="M${LEFT} ${px(z(OBJECTIVE.seconds))}H${RIGHT}" stroke="${COLOURS.objective}" stroke-dasharray="5 4"/>`,
    `<polyline points="${ages.join(' ')}" fill="none" stroke="${COLOURS.age}" stroke-width="1.5"/>`,
  ]
}

const drawTitle = (top: number, title: string) =>
  `<text x="${LEFT}" y="${top - 8}" font-weight="600">${title}</text>`

const drawTick = (at: number, value: number) =>
  `<path d="M${LEFT} ${px(at)}H${RIGHT}" stroke="#eee"/><text x="${LEFT - 8}" y="${px(at + 4)}" text-anchor="end" fill="${COLOURS.workers}">${value}</text>`

const drawAge = (at: number, value: number) =>
  `<text x="${RIGHT + 8}" y="${px(at + 4)}" fill="${COLOURS.age}">${value}</text>`

function drawHours(top: number): string[] {
  const bottom = top + PANEL
  return [
    `<path d="M${LEFT} ${bottom}H${RIGHT}" stroke="#bbb"/>`,
    ...[0, 4, 8, 12, 16, 20, 24].map(
      (hour) =>
        `<text x="${px(x(hour))}" y="${bottom + 17}" text-anchor="middle" fill="${COLOURS.axis}">${hour}:00</text>`,
    ),
  ]
}
