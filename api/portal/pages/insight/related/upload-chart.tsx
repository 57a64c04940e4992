import { dateText, pluralText, secondText } from '../../../parts/formats.ts'
import { toDate } from '../../../parts/to-date.ts'
import styles from './upload-chart.module.css'
import type { RelatedDataset } from './use-related-datasets.ts'

const DAY_MS = 86_400_000

/** Chart of the uploads of device and client over time, one line each; marks the dataset `own`. */
export function UploadChart({ related, own }: { related: readonly RelatedDataset[]; own: string }) {
  const lanes = [
    { name: 'Device', datasets: related.filter(({ sameDevice }) => sameDevice) },
    { name: 'Client', datasets: related.filter(({ sameClient }) => sameClient) },
  ].filter(({ datasets }) => datasets.length > 0)
  const times = related.map(timeOf)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const text = (time: number) => (last - first < DAY_MS ? secondText(time) : dateText(time))
  const counts = lanes.map(({ name, datasets }) => `${name}: ${pluralText(datasets.length, 'dataset')}`)
  return (
    <div
      role="img"
      aria-label={`Uploads from ${text(first)} to ${text(last)}. ${counts.join('. ')}.`}
      className={styles.chart}
    >
      {lanes.map(({ name, datasets }) => (
        <div key={name} className={styles.lane}>
          <span>{name}</span>
          <div className={styles.line}>
            {datasets.map((dataset) => (
              <div
                key={dataset.item.referenceNumber}
                className={dataset.item.referenceNumber === own ? styles.own : styles.point}
                style={{
                  left: `${last === first ? 50 : ((timeOf(dataset) - first) / (last - first)) * 100}%`,
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
            <i className={styles.key} /> this dataset
          </span>
          {last > first && <span>{text(last)}</span>}
        </div>
      </div>
    </div>
  )
}

const timeOf = ({ item }: RelatedDataset) => toDate(item.uploadedAt).getTime()
