import { Anchor, Button, Collapse, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { labelOf, PLATFORM_LABELS } from '../../parts/labels.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { type ScorecardCode, type StagedVersion, shortVersion, versionPath } from './scorecard-types.ts'
import { StageBadge } from './stage-badge.tsx'
import { useStageChanges } from './use-stage-changes.ts'

/** The versions deployed under a code, with its history. */
export function CodeCard({ code, versions }: ScorecardCode) {
  const [opened, { toggle }] = useDisclosure(false)
  const { rollBack } = useStageChanges(code)
  const scoring = versions.filter(({ stage }) => stage === 'champion' || stage === 'challenger')
  const others = versions.filter(({ stage }) => stage === 'draft' || stage === 'retired')
  const champion = scoring.find(({ stage }) => stage === 'champion')
  const previous = versions.find(({ version }) => version === champion?.replaced)
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={`code-${code}`}>
      <Group justify="space-between" align="flex-start" mb="xs">
        <Title order={2} id={`code-${code}`} style={{ overflowWrap: 'anywhere' }}>
          {code}
        </Title>
        <AdminOnly>
          <Group gap="xs">
            {champion && previous && (
              <ConfirmButton
                size="xs"
                title={`Roll back ${code}?`}
                question={
                  <>
                    “{previous.name}” ({shortVersion(previous.version)}) becomes champion again and “
                    {champion.name}” ({shortVersion(champion.version)}) is retired. Applies to new datasets
                    only.
                  </>
                }
                confirm="Roll back"
                act={rollBack}
              >
                Roll back
              </ConfirmButton>
            )}
            <Button
              size="xs"
              variant="default"
              component={Link}
              to={`/scorecards/upload?code=${encodeURIComponent(code)}`}
            >
              Upload version
            </Button>
          </Group>
        </AdminOnly>
      </Group>
      <Stack gap="sm">
        {champion === undefined && (
          <Text size="sm" c="dimmed">
            No champion: datasets get no score for this code.
          </Text>
        )}
        {scoring.map((version) => (
          <VersionRow key={version.version} code={code} {...version} />
        ))}
        {others.length > 0 && (
          <div>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={toggle}
              aria-expanded={opened}
              aria-controls={`history-${code}`}
            >
              {opened ? 'Hide' : 'Show'} {others.length}{' '}
              {others.length === 1 ? 'other version' : 'other versions'}
            </Button>
            <Collapse expanded={opened} id={`history-${code}`}>
              <Stack gap="sm" mt="sm">
                {others.map((version) => (
                  <VersionRow key={version.version} code={code} {...version} />
                ))}
              </Stack>
            </Collapse>
          </div>
        )}
      </Stack>
    </Paper>
  )
}

function VersionRow({
  code,
  version,
  stage,
  since,
  name,
  platforms,
  kinds,
  trial,
  suspended,
}: StagedVersion & { code: string }) {
  return (
    <Group gap="xs" align="flex-start">
      <div style={{ flex: '0 0 7.5rem' }}>
        <StageBadge stage={stage} />
      </div>
      <Stack gap={2} style={{ flex: '1 1 16rem', minWidth: 0 }}>
        <Anchor
          component={Link}
          to={versionPath(code, version)}
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {kinds.join(', ')} · {platforms.map((platform) => labelOf(PLATFORM_LABELS, platform)).join(', ')} ·
          since <TimeText at={since} since /> · <span className="tabular">{shortVersion(version)}</span>
          {trial && ` · ${trialSummary(trial)}`}
          {suspended && (
            <Text span inherit c="red" fw={600}>
              {' '}
              · suspended
            </Text>
          )}
        </Text>
      </Stack>
    </Group>
  )
}

function trialSummary({ state, rows, matched }: NonNullable<StagedVersion['trial']>): string {
  if (state === 'waiting' || state === 'running') return 'backtest running'
  if (state === 'failed') return 'backtest failed'
  return rows === 0 ? 'backtested, no verification rows' : `${matched} of ${rows} rows verified`
}
