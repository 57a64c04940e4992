import { Text } from '@mantine/core'
import { numberText, pluralText, signedText } from '../../../parts/formats.ts'
import type { Characteristic, ExplainedScore } from '../insight-types.ts'
import { nameOfCharacteristic } from '../name-of-characteristic.ts'
import { inputText } from './input-text.ts'
import { effectOf, type Step, type Steps, SUM_NAMES } from './points-steps.ts'
import styles from './waterfall.module.css'

/** How base and points become the score, as bars from one sum to the next. */
export function Waterfall({
  steps: { base, steps, total, unit, idle },
  direction,
}: {
  steps: Steps
  direction: ExplainedScore['scorecard']['direction']
}) {
  const sums = [base, total, ...steps.map(({ to }) => to)]
  const [least, most] = [Math.min(...sums), Math.max(...sums)]
  const percent = (value: number) => ((value - least) / (most - least || 1)) * 100
  const end = SUM_NAMES[unit]
  const words = [
    `From a base of ${numberText(base)}`,
    ...steps.map((step) => `${labelOf(step)} ${signedText(step.points)}`),
    `${end} ${numberText(total)}`,
  ]
  return (
    <div role="img" aria-label={`${words.join('; ')}.`} className={styles.waterfall}>
      <SumRow label="Base" value={base} at={percent(base)} joined={steps.length > 0} />
      {steps.map((step) => {
        const [left, right] = [percent(step.from), percent(step.to)].toSorted((a, b) => a - b)
        const effect = effectOf(step.points, unit, direction)
        return (
          <div key={labelOf(step)} className={styles.row} data-points={step.points}>
            <div className={styles.label}>
              <Text size="sm" truncate="end">
                {labelOf(step)}
              </Text>
              <Text size="xs" c="dimmed" truncate="end">
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
              {signedText(step.points)}
            </Text>
          </div>
        )
      })}
      <SumRow label={end} value={total} at={percent(total)} joined={false} />
      {idle > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {pluralText(idle, 'more characteristic')} added nothing; the table has all of them
        </Text>
      )}
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

/** What was read and the bin it fell into, where the bin says more. */
function readingOf({ input, bin }: Characteristic): string {
  const text = inputText(input)
  return bin === text || bin === String(input) ? text : `${text} · ${bin}`
}

const labelOf = ({ characteristic, characteristics }: Step) =>
  characteristic ? nameOfCharacteristic(characteristic.characteristic) : `${characteristics} others together`
