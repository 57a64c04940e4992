import { Text } from '@mantine/core'
import { numberText, signedText } from '../../../parts/formats.ts'
import { characteristicName } from '../characteristic-name.ts'
import type { Characteristic, ExplainedScore } from '../insight-types.ts'
import { inputText } from './input-text.ts'
import { effectOf, type Step, type Steps, SUM_LABELS } from './points-steps.ts'
import styles from './waterfall.module.css'

/** Waterfall chart from the baseline to the score, with a bar for each characteristic. */
export function Waterfall({
  steps: { start, hasBaselines, steps, total, unit },
  direction,
}: {
  steps: Steps
  direction: ExplainedScore['scorecard']['direction']
}) {
  const sums = [start, total, ...steps.map(({ to }) => to)]
  const [least, most] = [Math.min(...sums), Math.max(...sums)]
  const percent = (value: number) => ((value - least) / (most - least || 1)) * 100
  const startName = hasBaselines ? 'Baseline' : 'Base'
  const parts = [
    `${startName} ${numberText(start)}`,
    ...steps.map((step) => `${labelOf(step)} ${signedText(step.gap)}`),
    `${SUM_LABELS[unit]} ${numberText(total)}`,
  ]
  return (
    <div role="img" aria-label={`${parts.join('; ')}.`} className={styles.waterfall}>
      <SumRow label={startName} value={start} at={percent(start)} joined={steps.length > 0} />
      {steps.map((step) => {
        const [left, right] = [percent(step.from), percent(step.to)].toSorted((a, b) => a - b)
        const effect = effectOf(step.gap, unit, direction)
        return (
          <div key={labelOf(step)} className={styles.row} data-gap={step.gap}>
            <div className={styles.label}>
              <Text size="sm">{labelOf(step)}</Text>
              <Text size="xs" c="dimmed">
                {step.characteristic && readingOf(step.characteristic)}
              </Text>
            </div>
            <div className={styles.track}>
              <div
                className={styles.bar}
                data-effect={effect}
                style={{ left: `${left}%`, width: `${(right ?? 0) - (left ?? 0)}%` }}
              />
              <div className={styles.join} style={{ left: `${percent(step.to)}%` }} />
            </div>
            <Text size="sm" className={styles.points} data-effect={effect}>
              {signedText(step.gap)}
            </Text>
          </div>
        )
      })}
      <SumRow label={SUM_LABELS[unit]} value={total} at={percent(total)} joined={false} />
    </div>
  )
}

function SumRow(props: { label: string; value: number; at: number; joined: boolean }) {
  return (
    <div className={styles.row}>
      <Text size="sm" fw={600}>
        {props.label}
      </Text>
      <div className={styles.track}>
        <div className={styles.sum} style={{ left: `${props.at}%` }} />
        {props.joined && <div className={styles.join} style={{ left: `${props.at}%` }} />}
      </div>
      <Text size="sm" fw={650} className={styles.points}>
        {numberText(props.value)}
      </Text>
    </div>
  )
}

/** The input with its bin, unless the bin repeats the input. */
function readingOf({ input, bin }: Characteristic): string {
  const text = inputText(input)
  return bin === text || bin === String(input) ? text : `${text} · ${bin}`
}

const labelOf = ({ characteristic, characteristics }: Step) =>
  characteristic ? characteristicName(characteristic.characteristic) : `${characteristics} others combined`
