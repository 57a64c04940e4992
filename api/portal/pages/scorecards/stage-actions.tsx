import { Alert, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { indexText } from '../../parts/formats.ts'
import { type StagedVersion, shortVersion, type Trial } from './scorecard-types.ts'
import { SHIFT_LEVELS } from './shift-levels.ts'
import { useLatestTrial } from './use-latest-trial.ts'
import { type KnownShift, useShift } from './use-shift.ts'
import { useStageChanges } from './use-stage-changes.ts'

const named = ({ name, version }: StagedVersion) => `“${name}” (${shortVersion(version)})`

const SCOPE = 'Applies to new datasets only.'

const succeed = (message: string) => notifications.show({ color: 'teal', message })

/** The actions of a version in its stage, each with a confirmation. */
export function StageActions({
  code,
  staged,
  versions,
}: {
  code: string
  staged: StagedVersion
  /** All versions of the code. */
  versions: readonly StagedVersion[]
}) {
  const { change, rollBack } = useStageChanges(code)
  const { stage, version } = staged
  const champion = versions.find((one) => one.stage === 'champion')
  const challenger = versions.find((one) => one.stage === 'challenger')
  const previous = versions.find((one) => one.version === staged.replaced)
  const { trial } = useLatestTrial(code, version)
  const shift = useShift(code, version, trial)
  const blocker = stage === 'champion' ? undefined : scoringBlocker(trial)
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs">
        {(stage === 'draft' || stage === 'retired') && (
          <ConfirmButton
            size="xs"
            color="ink"
            disabled={blocker !== undefined}
            title="Set as challenger?"
            question={`${named(staged)} will score new datasets for ${code} in shadow: its scores are stored but not returned. ${challenger ? `The current challenger, ${named(challenger)}, becomes a draft again. ` : ''}${SCOPE}`}
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
            disabled={blocker !== undefined}
            title="Promote to champion?"
            question={
              <>
                {named(staged)} will return scores for {code}.{' '}
                {champion
                  ? `The current champion, ${named(champion)}, is retired and can be restored by a rollback. `
                  : ''}
                {trial?.result?.verification.rows === 0 &&
                  'The definition has no verification rows, so its scores are not verified. '}
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
        {stage === 'champion' && previous && (
          <ConfirmButton
            size="xs"
            title={`Roll back ${code}?`}
            question={`${named(previous)} becomes champion again and ${named(staged)} is retired. ${SCOPE}`}
            confirm="Roll back"
            act={async () => {
              await rollBack()
              succeed(`Rolled back: ${named(previous)} is the champion of ${code} again`)
            }}
          >
            Roll back
          </ConfirmButton>
        )}
        {staged.suspended && (
          <ConfirmButton
            size="xs"
            color="ink"
            title="Resume this version?"
            question={`${named(staged)} scores again in its stage. It is suspended again if scoring a dataset takes too long. ${SCOPE}`}
            confirm="Resume"
            act={async () => {
              await change(version, 'resume')
              succeed(`${named(staged)} is resumed`)
            }}
          >
            Resume
          </ConfirmButton>
        )}
        {stage !== 'retired' && (
          <ConfirmButton
            size="xs"
            title="Retire this version?"
            question={
              stage === 'champion'
                ? `${named(staged)} is the champion: datasets get no score for ${code} until another version is promoted. ${SCOPE}`
                : `${named(staged)} stops scoring${stage === 'challenger' ? ' in shadow' : ''}. ${SCOPE}`
            }
            confirm="Retire"
            act={() => change(version, 'retire')}
          >
            Retire
          </ConfirmButton>
        )}
      </Group>
      {blocker !== undefined && (
        <Text size="xs" c="dimmed">
          {blocker}
        </Text>
      )}
    </Stack>
  )
}

function ShiftWarning({ shift: { psi, mark, measured } }: { shift: KnownShift }) {
  return (
    <Alert
      color="orange"
      variant="light"
      mt="sm"
      title={`Scores are ${SHIFT_LEVELS[mark].label}: PSI ${indexText(psi)}`}
    >
      Measured {measured}; {SHIFT_LEVELS[mark].meaning}.
    </Alert>
  )
}

/** Why a version cannot become champion or challenger yet; undefined if it can. */
function scoringBlocker(trial: Trial | undefined): string | undefined {
  if (!trial) return 'Run a backtest before it scores'
  if (trial.state === 'failed') return 'The last backtest failed. Run it again before it scores.'
  if (!trial.result) return 'It can score when its backtest is done'
  const { rows, matched } = trial.result.verification
  return matched < rows ? 'Not all verification rows match' : undefined
}
