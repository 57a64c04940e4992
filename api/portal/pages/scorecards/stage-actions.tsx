import { Alert, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { indexText } from '../../parts/formats.ts'
import { type StagedVersion, shortVersion } from './scorecard-types.ts'
import { SHIFT_LEVELS } from './shift-levels.ts'
import { type KnownShift, useShift } from './use-shift.ts'
import { useStageChanges } from './use-stage-changes.ts'

const named = ({ name, version }: StagedVersion) => `“${name}” (${shortVersion(version)})`

const SCOPE = 'Applies to new datasets only.'

const succeed = (message: string) => notifications.show({ color: 'teal', message })

/** What can be done with a version where it stands, each with a question that says what changes. */
export function StageActions({
  code,
  staged,
  versions,
}: {
  code: string
  staged: StagedVersion
  /** Of the same code. */
  versions: readonly StagedVersion[]
}) {
  const { change, rollBack } = useStageChanges(code)
  const shift = useShift(code, staged.version)
  const { stage, version } = staged
  const champion = versions.find((one) => one.stage === 'champion')
  const challenger = versions.find((one) => one.stage === 'challenger')
  const before = versions.find((one) => one.version === staged.replaced)
  const hindrance = stage === 'champion' ? undefined : promotionBlocker(staged.trial)
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs">
        {(stage === 'draft' || stage === 'retired') && (
          <ConfirmButton
            size="xs"
            color="ink"
            title="Set as challenger"
            question={`${named(staged)} scores every new dataset under ${code} in shadow: its scores are stored and never returned. ${challenger ? `The challenger before, ${named(challenger)}, is a draft again. ` : ''}${SCOPE}`}
            confirm="Set as challenger"
            act={async () => {
              await change(version, 'challenge')
              succeed(`${named(staged)} is now the challenger of ${code}`)
            }}
          >
            Set as challenger
          </ConfirmButton>
        )}
        {stage !== 'champion' && (
          <ConfirmButton
            size="xs"
            variant="filled"
            color="ink"
            disabled={hindrance !== undefined}
            title="Promote to champion"
            question={
              <>
                {named(staged)} will return scores for {code}.{' '}
                {champion
                  ? `The champion now, ${named(champion)}, is retired; rolling back brings it back. `
                  : ''}
                {staged.trial?.rows === 0 &&
                  'The definition has no verification rows, so nothing proves that it computes here what it computed where it was built. '}
                {SCOPE}
                {shift && shift.mark !== 'stable' && <ShiftWarning shift={shift} />}
              </>
            }
            confirm="Promote"
            act={async () => {
              await change(version, 'promote')
              succeed(`${named(staged)} is now the champion of ${code}`)
            }}
          >
            Promote
          </ConfirmButton>
        )}
        {stage === 'champion' && before && (
          <ConfirmButton
            size="xs"
            title={`Roll ${code} back`}
            question={`${named(before)} becomes champion again and ${named(staged)} is retired. ${SCOPE}`}
            confirm="Roll back"
            act={async () => {
              await rollBack()
              succeed(`Rolled back: ${named(before)} is the champion of ${code} again`)
            }}
          >
            Roll back
          </ConfirmButton>
        )}
        {stage !== 'retired' && (
          <ConfirmButton
            size="xs"
            title="Retire this version"
            question={
              stage === 'champion'
                ? `${named(staged)} is the champion: datasets get no score under ${code} any more, until another version is promoted. ${SCOPE}`
                : `${named(staged)} scores no more${stage === 'challenger' ? ', in shadow neither' : ''}. ${SCOPE}`
            }
            confirm="Retire"
            act={() => change(version, 'retire')}
          >
            Retire
          </ConfirmButton>
        )}
      </Group>
      {hindrance !== undefined && (
        <Text size="xs" c="dimmed">
          {hindrance}
        </Text>
      )}
    </Stack>
  )
}

function ShiftWarning({ shift: { psi, mark, against } }: { shift: KnownShift }) {
  return (
    <Alert
      color="orange"
      variant="light"
      mt="sm"
      title={`Scores are ${SHIFT_LEVELS[mark].word}: PSI ${indexText(psi)}`}
    >
      Measured {against}. {SHIFT_LEVELS[mark].text.replace(/^./, (letter) => letter.toUpperCase())}.
    </Alert>
  )
}

/** Why a version cannot be promoted yet. */
function promotionBlocker(trial: StagedVersion['trial']): string | undefined {
  if (!trial) return 'Have it tried before you promote it'
  const { state, rows, matched } = trial
  if (state === 'failed') return 'Its last trial failed: have it tried again before you promote it'
  if (state !== 'done') return 'It can be promoted once its trial is done'
  return (matched ?? 0) < (rows ?? 0) ? 'Not every verification row comes out as it should' : undefined
}
