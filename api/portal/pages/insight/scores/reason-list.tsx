import { Text } from '@mantine/core'
import { signedText } from '../../../parts/formats.ts'
import type { Characteristic, ExplainedScore } from '../insight-types.ts'
import { nameOfCharacteristic } from '../name-of-characteristic.ts'
import { inputText } from './input-text.ts'
import { stepsOf } from './points-steps.ts'
import styles from './reason-list.module.css'

/** The reasons as the scorecard words them, most important first, each with what it rests on. */
export function ReasonList({ score }: { score: ExplainedScore }) {
  const { reasons, characteristics } = score
  const unit = stepsOf(score, 1)?.unit === 'points' ? ' points' : ''
  if (reasons.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing: no characteristic lies on the worse side of its baseline, or the scorecard names no reasons.
      </Text>
    )
  return (
    <ol className={styles.list}>
      {reasons.map(({ code, text, language }) => (
        <li key={code}>
          <Text fw={500} {...(language !== null && { lang: language })}>
            {text ?? code}
          </Text>
          {characteristics.filter(isBehind(code)).map((characteristic) => (
            <Text key={characteristic.characteristic} size="sm" c="dimmed">
              {evidenceText(characteristic)}
              {unit}
            </Text>
          ))}
        </li>
      ))}
    </ol>
  )
}

const isBehind =
  (code: string) =>
  ({ reason, points, baseline }: Characteristic) =>
    reason?.code === code && points !== baseline

const evidenceText = ({ characteristic, input, points }: Characteristic) =>
  `${nameOfCharacteristic(characteristic)}: ${inputText(input)}, ${signedText(points)}`
