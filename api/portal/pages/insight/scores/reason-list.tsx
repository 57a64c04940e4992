import { Text } from '@mantine/core'
import { signedText } from '../../../parts/formats.ts'
import { characteristicName } from '../characteristic-name.ts'
import type { Characteristic, ExplainedScore } from '../insight-types.ts'
import { inputText } from './input-text.ts'
import { effectOf, gapOf, stepsOf } from './points-steps.ts'
import styles from './reason-list.module.css'

/** The reasons with the scorecard's texts, most important first, and the gaps behind each. */
export function ReasonList({ score }: { score: ExplainedScore }) {
  const { reasons, characteristics, scorecard } = score
  const unit = stepsOf(score, 1)?.unit ?? 'other'
  if (reasons.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None: no characteristic is on the negative side of its baseline, or the scorecard has no reasons.
      </Text>
    )
  return (
    <ol className={styles.list}>
      {reasons.map(({ code, text, language }) => (
        <li key={code}>
          <Text fw={500} {...(language !== null && { lang: language })}>
            {text ?? code}
          </Text>
          {characteristics
            .filter(({ reason }) => reason?.code === code)
            .map((characteristic) => ({ characteristic, gap: gapOf(characteristic) }))
            .filter(({ gap }) => gap !== 0 && effectOf(gap, unit, scorecard.direction) !== 'for')
            .map(({ characteristic, gap }) => (
              <Evidence
                key={characteristic.characteristic}
                characteristic={characteristic}
                gap={gap}
                unit={unit === 'points' ? ' points' : ''}
              />
            ))}
        </li>
      ))}
    </ol>
  )
}

/** The input of a characteristic and the gap to its baseline. */
function Evidence(props: { characteristic: Characteristic; gap: number; unit: string }) {
  const { characteristic, input, baseline } = props.characteristic
  return (
    <Text size="sm" c="dimmed">
      {characteristicName(characteristic)}: {inputText(input)},{' '}
      <span className={styles.gap}>
        {signedText(props.gap)}
        {props.unit}
      </span>
      {baseline !== null && ' vs baseline'}
    </Text>
  )
}
