import type { DryRun, Histogram } from '../../db/scorecards/definition/trial-result.ts'
import { escaped, MARK_COLOURS, px } from './svg-parts.ts'

const WIDTH = 800
const HEIGHT = 420
const LEFT = 60
const RIGHT = 770
const TOP = 84
const BOTTOM = 360

const EMPTY: Histogram = { from: 0, width: 1, candidate: [0], champion: null }

const COLOURS = { champion: '#9aa5ad', candidate: '#0b6e99' }
const WORDS = {
  stable: 'below 0.10: no significant shift',
  shifting: '0.10 to 0.25: a shift to investigate',
  shifted: '0.25 or more: a different population or scale',
}

/** Draws the score distribution of a candidate, and of the champion if there is one, as an SVG. */
export function drawDryRun(title: string, { shift, withoutScore, captures, histogram }: DryRun): string {
  const { from, width, candidate, champion } = histogram ?? EMPTY
  const columns = candidate.length
  const most = Math.max(0.01, ...candidate, ...(champion ?? []))
  const x = (column: number) => LEFT + (column / columns) * (RIGHT - LEFT)
  const y = (share: number) => BOTTOM - (share / most) * (BOTTOM - TOP)

  const bars = (champion ?? []).map((share, column) =>
    share === 0
      ? ''
      : `<rect x="${px(x(column))}" y="${px(y(share))}" width="${px(x(1) - x(0) - 1)}" height="${px(BOTTOM - y(share))}" fill="${COLOURS.champion}" opacity="0.55"/>`,
  )
  const steps = candidate.map(
    (share, column) => `${column === 0 ? 'M' : 'L'}${px(x(column))} ${px(y(share))}H${px(x(column + 1))}`,
  )
  const labels = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<text x="${px(x(columns * part))}" y="${BOTTOM + 20}" text-anchor="middle" fill="#777">${Math.round(from + part * columns * width)}</text>`,
  )
  const psi = shift
    ? `<text x="${RIGHT}" y="30" text-anchor="end" font-size="16" font-weight="600" fill="${MARK_COLOURS[shift.mark]}">PSI ${shift.psi.toFixed(3)}</text>` +
      `<text x="${RIGHT}" y="71" text-anchor="end" fill="#777">${WORDS[shift.mark]}</text>`
    : ''
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="30" font-size="16" font-weight="600">${escaped(title)}</text>`,
    `<text x="${LEFT}" y="50" fill="#777">share of captures by score; ${captures.toLocaleString('en-US')} captures, ${(withoutScore.share * 100).toFixed(1)} % of them without score</text>`,
    champion === null
      ? ''
      : `<rect x="${LEFT + 100}" y="60" width="12" height="12" fill="${COLOURS.champion}" opacity="0.55"/><text x="${LEFT + 118}" y="71">champion</text>`,
    `<path d="M${LEFT} 66h14" stroke="${COLOURS.candidate}" stroke-width="2.5"/><text x="${LEFT + 20}" y="71">candidate</text>`,
    `<path d="M${LEFT} ${BOTTOM}H${RIGHT}" stroke="#bbb"/>`,
    `<text x="${LEFT - 8}" y="${px(y(most) + 4)}" text-anchor="end" fill="#777">${(most * 100).toFixed(0)} %</text>`,
    ...bars.filter(Boolean),
    `<path d="${steps.join('')}" fill="none" stroke="${COLOURS.candidate}" stroke-width="2"/>`,
    ...labels,
    `<text x="${RIGHT}" y="${HEIGHT - 14}" text-anchor="end" fill="#777">score</text>`,
    psi,
    '</svg>',
  ].join('\n')}\n`
}
