import styles from './histogram.module.css'
import type { Bar } from './place.ts'

/** Beside the picture's edges, the number above the mark would be cut off. */
const EDGE_PERCENT = 4

/** How often scores fell where, with a mark at one of them; `label` says the same in words. */
export function Histogram({ bars, mark, label }: { bars: readonly Bar[]; mark: number; label: string }) {
  const most = Math.max(1, ...bars.map(({ datasets }) => datasets))
  const first = bars[0]?.from ?? 0
  const last = bars.at(-1)?.to ?? 1
  const place = ((mark + 0.5 - first) / (last - first)) * 100
  const middle = bars[Math.floor(bars.length / 2)]?.from
  return (
    <div role="img" aria-label={label} className={styles.histogram}>
      <div className={styles.markValue} style={{ left: `${clamp(place)}%` }}>
        {mark}
      </div>
      <div className={styles.bars}>
        {bars.map(({ from, to, datasets }) => (
          <div
            key={from}
            className={mark >= from && mark < to ? styles.own : styles.bar}
            style={{ height: `${(datasets / most) * 100}%` }}
          />
        ))}
        <div className={styles.mark} style={{ left: `${place}%` }} />
      </div>
      <div className={styles.axis}>
        <span>{first}</span>
        {bars.length > 4 && <span>{middle}</span>}
        <span>{last}</span>
      </div>
    </div>
  )
}

const clamp = (percent: number) => Math.min(100 - EDGE_PERCENT, Math.max(EDGE_PERCENT, percent))
