import { numberText } from '../../../parts/formats.ts'
import type { Bar } from './distribution.ts'
import styles from './histogram.module.css'

/** Histogram of scores with a mark at one of them; `label` is its text alternative. */
export function Histogram({ bars, mark, label }: { bars: readonly Bar[]; mark: number; label: string }) {
  const most = Math.max(1, ...bars.map(({ datasets }) => datasets))
  const percent = percentOf(bars, mark)
  return (
    <div role="img" aria-label={label} className={styles.histogram}>
      <div
        className={styles.markValue}
        style={{ left: `${percent}%`, transform: `translateX(-${percent}%)` }}
      >
        {numberText(mark)}
      </div>
      <div className={styles.bars}>
        {bars.map((bar) => (
          <div
            key={bar.from}
            className={holds(bar, mark) ? styles.own : styles.bar}
            data-beyond={!isBounded(bar) || undefined}
            style={{ height: `${(bar.datasets / most) * 100}%` }}
          />
        ))}
        <div className={styles.mark} style={{ left: `${percent}%` }} />
      </div>
      <div className={styles.axis}>
        {ticksOf(bars).map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
    </div>
  )
}

const isBounded = ({ from, to }: Bar) => Number.isFinite(from) && Number.isFinite(to)
const holds = ({ from, to }: Bar, mark: number) => mark >= from && mark < to

/** Position of the mark in percent of the width; the middle of a bar of outliers. */
function percentOf(bars: readonly Bar[], mark: number): number {
  const at = Math.max(
    0,
    bars.findIndex((bar) => holds(bar, mark)),
  )
  const { from = 0, to = 1 } = bars[at] ?? {}
  const within = Number.isFinite(to - from) ? (mark + 0.5 - from) / (to - from) : 0.5
  return ((at + within) / bars.length) * 100
}

/** Labels of both ends, such as 420, or < 420 for a bar of outliers, and of the middle if there is room. */
function ticksOf(bars: readonly Bar[]): string[] {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return []
  const middle = bars[Math.floor(bars.length / 2)]
  return [
    Number.isFinite(first.from) ? numberText(first.from) : `< ${numberText(first.to)}`,
    ...(bars.length > 4 && middle ? [numberText(middle.from)] : []),
    Number.isFinite(last.to) ? numberText(last.to) : `≥ ${numberText(last.from)}`,
  ]
}
