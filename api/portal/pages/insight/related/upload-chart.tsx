import { dateText, pluralText, secondText } from '../../../parts/formats.ts'
import { toDate } from '../../../parts/to-date.ts'
import styles from './upload-chart.module.css'
import type { RelatedDataset } from './use-related-datasets.ts'

const DAY_MS = 86_400_000

/** When device and client were seen, as points on one line of time each; `own` is the dataset of the page. */
export function UploadChart({ neighbours, own }: { neighbours: readonly RelatedDataset[]; own: string }) {
  const lanes = [
    { name: 'Device', seen: neighbours.filter(({ sameDevice }) => sameDevice) },
    { name: 'Client', seen: neighbours.filter(({ sameClient }) => sameClient) },
  ].filter(({ seen }) => seen.length > 0)
  const times = neighbours.map(timeOf)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const text = (time: number) => (last - first < DAY_MS ? secondText(time) : dateText(time))
  const words = lanes.map(({ name, seen }) => `${name}: ${pluralText(seen.length, 'dataset')}`)
  return (
    <div
      role="img"
      aria-label={`When they were uploaded, from ${text(first)} to ${text(last)}. ${words.join('. ')}.`}
      className={styles.picture}
    >
      {lanes.map(({ name, seen }) => (
        <div key={name} className={styles.lane}>
          <span>{name}</span>
          <div className={styles.line}>
            {seen.map((neighbour) => (
              <div
                key={neighbour.item.referenceNumber}
                className={neighbour.item.referenceNumber === own ? styles.own : styles.point}
                style={{
                  left: `${last === first ? 50 : ((timeOf(neighbour) - first) / (last - first)) * 100}%`,
                }}
              />
            ))}
          </div>
        </div>
      ))}
      <div className={styles.lane}>
        <span />
        <div className={styles.axis}>
          <span>{text(first)}</span>
          <span>
            <i className={styles.key} /> this one
          </span>
          {last > first && <span>{text(last)}</span>}
        </div>
      </div>
    </div>
  )
}

const timeOf = ({ item }: RelatedDataset) => toDate(item.uploadedAt).getTime()
