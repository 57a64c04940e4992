import type { OfferedPoint } from './measure-offered.ts'
import type { SystemName } from './open-system.ts'

const WIDTH = 800
const LEFT = 70
const RIGHT = 660
const LATENCY = { top: 60, bottom: 330 }
const ACCEPTED = { top: 390, bottom: 500 }
const HEIGHT = 560

const COLOURS: Record<SystemName, string> = { inkling: '#0b6e99', textbook: '#c2571a' }
const NAMES: Record<SystemName, string> = { inkling: 'Inkling', textbook: 'textbook' }

type Scale = (value: number) => number

/** Load and time have logarithmic axes: beyond saturation, latency grows by orders of magnitude. */
const logarithmic = ([low, high]: readonly [number, number], from: number, to: number): Scale => {
  const span = Math.log(high / low)
  return (value) => from + (Math.log(Math.min(Math.max(value, low), high) / low) / span) * (to - from)
}

/** Draws the latency of uploads and the accepted rate against offered load as an SVG. */
export function drawLatency(offered: Readonly<Record<SystemName, readonly OfferedPoint[]>>): string {
  const points = Object.values(offered).flat()
  const bounds = (values: readonly number[]): readonly [number, number] => [
    Math.min(...values) / 1.2,
    Math.max(...values) * 1.2,
  ]
  const load = bounds(points.map((point) => point.offered))
  const times = bounds(points.flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]).filter(Number.isFinite))
  const most = Math.max(...points.map(({ accepted }) => accepted)) * 1.1
  const x = logarithmic(load, LEFT, RIGHT)
  const y = logarithmic(times, LATENCY.bottom, LATENCY.top)
  const z: Scale = (value) => ACCEPTED.bottom - (value / most) * (ACCEPTED.bottom - ACCEPTED.top)

  const systems = (['textbook', 'inkling'] as const).flatMap((name) => {
    const line = (pick: (point: OfferedPoint) => number, scale: Scale, style: string) =>
      drawLine(
        offered[name]
          .filter((point) => Number.isFinite(pick(point)))
          .map((point) => [x(point.offered), scale(pick(point))]),
        `stroke="${COLOURS[name]}" ${style}`,
      )
    const last = offered[name].at(-1)
    const label = (text: string, at: number) =>
      last
        ? `<text x="${px(x(last.offered) + 8)}" y="${px(at + 4)}" fill="${COLOURS[name]}">${text}</text>`
        : ''
    return [
      line(({ p50Ms }) => p50Ms, y, 'stroke-dasharray="4 4"'),
      line(({ p99Ms }) => p99Ms, y, 'stroke-width="2.5"'),
      line(({ accepted }) => accepted, z, 'stroke-width="2.5"'),
      label(`${NAMES[name]} p99`, y(last?.p99Ms ?? 0)),
      label(NAMES[name], z(last?.accepted ?? 0)),
    ]
  })
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    '<title>Latency of uploads against offered load</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="28" font-size="16" font-weight="600">Latency of uploads that were not shed, ms</text>`,
    `<text x="${LEFT}" y="46" fill="#777">solid p99, dashed p50; up to four times the maximum accepted rate, on 1,000 connections</text>`,
    `<text x="${LEFT}" y="${ACCEPTED.top - 14}" font-size="16" font-weight="600">Accepted uploads/s</text>`,
    `<text x="${RIGHT}" y="${HEIGHT - 14}" text-anchor="end" fill="#777">offered uploads/s</text>`,
    ...ticksOf(times, [1]).map((tick) => drawRow(y(tick), tick)),
    ...[0, 0.5, 1].map((share) => niceStep(most) * share).map((tick) => drawRow(z(tick), tick)),
    ...ticksOf(load, [1, 2, 5]).map((tick) => drawColumn(x(tick), tick)),
    ...systems,
    '</svg>',
  ].join('\n')}\n`
}

const px = (value: number) => value.toFixed(1)

const drawLine = (points: readonly (readonly number[])[], style: string) =>
  `<polyline fill="none" ${style} points="${points.map((point) => point.map(px).join(',')).join(' ')}"/>`

const drawRow = (at: number, value: number) =>
  `<path d="M${LEFT} ${px(at)}H${RIGHT}" stroke="#e4e4e4"/><text x="${LEFT - 8}" y="${px(at + 4)}" text-anchor="end" fill="#777">${value.toLocaleString('en-US')}</text>`

const drawColumn = (at: number, value: number) =>
  `<path d="M${px(at)} ${LATENCY.top}V${LATENCY.bottom}M${px(at)} ${ACCEPTED.top}V${ACCEPTED.bottom}" stroke="#f0f0f0"/>` +
  `<text x="${px(at)}" y="${ACCEPTED.bottom + 18}" text-anchor="middle" fill="#777">${value.toLocaleString('en-US')}</text>`

/** Lists powers of ten, multiplied by these factors, within the bounds. */
function ticksOf([low, high]: readonly [number, number], multiples: readonly number[]): number[] {
  const ticks: number[] = []
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
    for (const multiple of multiples)
      if (power * multiple >= low && power * multiple <= high) ticks.push(power * multiple)
  return ticks
}

/** Returns the largest of 1, 2 or 5 times a power of ten that does not exceed the value. */
function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1)
}
