import type { MonitoredDay } from '../../worker/monitoring/monitor-scores.ts'
import { type ListedMonitoring, titleOf, worstFirst } from './listed-monitoring.ts'
import { escaped, MARK_COLOURS, px } from './svg-parts.ts'

const WIDTH = 800
const LEFT = 190
const RIGHT = 740
const CHART = { top: 48, bottom: 188 }
const ROW = 20

/** Maximum number of characteristics per scorecard; those with the largest shift are drawn. */
const MOST_CHARACTERISTICS = 15

/** Larger index values are drawn at this height: any of them means a different population. */
const HIGHEST = 0.5

/** Draws the daily PSI of each scorecard and the CSI of its characteristics as an SVG. */
export function drawMonitoring(scorecards: readonly ListedMonitoring[]): string {
  let height = 0
  const panels = scorecards.map((scorecard) => {
    const names = worstFirst(scorecard).slice(0, MOST_CHARACTERISTICS)
    const panel = `<g transform="translate(0 ${height})">\n${drawPanel(scorecard, names).join('\n')}\n</g>`
    height += CHART.bottom + 44 + names.length * ROW + 24
    return panel
  })
  const size = Math.max(height, 60)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${size}" width="${WIDTH}" height="${size}" font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    '<title>Stability of scores</title>',
    `<rect width="${WIDTH}" height="${size}" fill="#fff"/>`,
    ...(panels.length > 0 ? panels : ['<text x="20" y="35">No scores have been counted yet</text>']),
    '</svg>',
  ].join('\n')}\n`
}

function drawPanel(scorecard: ListedMonitoring, names: readonly string[]): string[] {
  const { days } = scorecard
  const cell = (RIGHT - LEFT) / Math.max(1, days.length)
  const x = (day: number) => LEFT + (day + 0.5) * cell
  const known = days.flatMap(({ psi }) => (psi === null ? [] : [psi]))
  const most = Math.min(HIGHEST, Math.max(0.3, ...known))
  const y = (psi: number) => CHART.bottom - (Math.min(psi, most) / most) * (CHART.bottom - CHART.top)
  const line = days.flatMap(({ psi }, day) => (psi === null ? [] : [`${px(x(day))},${px(y(psi))}`]))
  const points = days.flatMap(({ day, psi, mark }, at) =>
    psi === null || mark === null
      ? []
      : [
          `<circle cx="${px(x(at))}" cy="${px(y(psi))}" r="3.5" fill="${MARK_COLOURS[mark]}"><title>${day}: PSI ${psi.toFixed(3)}, ${mark}</title></circle>`,
        ],
  )
  return [
    `<text x="20" y="26" font-size="15" font-weight="600">${escaped(titleOf(scorecard))}</text>`,
    `<text x="20" y="${px((CHART.top + CHART.bottom) / 2)}">PSI of the scores</text>`,
    `<path d="M${LEFT} ${CHART.bottom}H${RIGHT}" stroke="#bbb"/>`,
    ...[0.1, 0.25].map(
      (mark) =>
        `<path d="M${LEFT} ${px(y(mark))}H${RIGHT}" stroke="#bbb" stroke-dasharray="4 4"/>` +
        `<text x="${LEFT - 8}" y="${px(y(mark) + 4)}" text-anchor="end" fill="#777">${mark.toFixed(2)}</text>`,
    ),
    `<polyline points="${line.join(' ')}" fill="none" stroke="#9aa5ad" stroke-width="1.5"/>`,
    ...points,
    ...labelDays(days, x),
    ...names.flatMap((name, row) => drawCharacteristic(days, name, CHART.bottom + 36 + row * ROW, cell)),
  ]
}

/** Labels about seven days, so that the labels do not overlap. */
function labelDays(days: readonly MonitoredDay[], x: (day: number) => number): string[] {
  const every = Math.ceil(days.length / 7)
  return days.flatMap(({ day }, at) =>
    at % every === 0
      ? [`<text x="${px(x(at))}" y="${CHART.bottom + 20}" text-anchor="middle" fill="#777">${day}</text>`]
      : [],
  )
}

function drawCharacteristic(
  days: readonly MonitoredDay[],
  name: string,
  top: number,
  width: number,
): string[] {
  const short = [...name].length > 22 ? `${[...name].slice(0, 21).join('')}…` : name
  const last = days.findLast(({ characteristics }) => characteristics[name])?.characteristics[name]
  const cells = days.flatMap(({ day, characteristics }, at) => {
    const shift = characteristics[name]
    if (!shift) return []
    const place = `x="${px(LEFT + at * width)}" y="${top}" width="${px(Math.max(1, width - 1))}" height="${ROW - 4}"`
    return [
      `<rect ${place} fill="${MARK_COLOURS[shift.mark]}" opacity="${shift.mark === 'stable' ? 0.3 : 0.8}"><title>${day}: CSI of ${escaped(name)} ${shift.csi.toFixed(3)}, ${shift.mark}</title></rect>`,
    ]
  })
  return [
    `<text x="20" y="${top + 13}">${escaped(short)}</text>`,
    ...cells,
    last
      ? `<text x="${RIGHT + 8}" y="${top + 13}" fill="${MARK_COLOURS[last.mark]}">${last.csi.toFixed(3)}</text>`
      : '',
  ]
}
