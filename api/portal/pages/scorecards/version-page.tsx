import { Anchor, Group, Paper, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { Link, useParams, useSearchParams } from 'react-router'
import { queries } from '../../client/api.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { labelOf, PLATFORM_LABELS } from '../../parts/labels.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { BacktestPanel } from './backtest-panel.tsx'
import { DefinitionView } from './definition-view.tsx'
import { RawDefinition } from './raw-definition.tsx'
import { shortVersion } from './scorecard-types.ts'
import { StabilityTable } from './stability-table.tsx'
import { StageActions } from './stage-actions.tsx'
import { StageBadge } from './stage-badge.tsx'
import { SuspensionAlert } from './suspension-alert.tsx'

const VIEWS = ['trial', 'stability', 'definition', 'raw'] as const

/** A version of a scorecard: stage and actions, backtest, stability and definition. */
export function VersionPage() {
  const { code = '', version = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const view = VIEWS.find((one) => one === search.get('view')) ?? 'trial'
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/scorecards/v1', {
    params: { query: { code, limit: 1 } },
  })
  if (isPending)
    return (
      <Stack aria-busy aria-label="Loading">
        <Skeleton height={36} width="60%" />
        <Skeleton height={48} />
        <Skeleton height={320} />
      </Stack>
    )
  if (error) return <ErrorState error={error} what="the scorecard" retry={() => void refetch()} />
  const versions = data.items[0]?.versions ?? []
  const staged = versions.find((one) => one.version === version)
  if (!staged)
    return (
      <>
        <PageHeader title="Scorecard" />
        <EmptyState
          icon={IconScale}
          title="Version not found"
          action={
            <Anchor component={Link} to="/scorecards">
              All scorecards
            </Anchor>
          }
        >
          Your subscription has no version {shortVersion(version)} of {code}.
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHeader
        title={staged.name}
        description={
          <>
            Code <b>{code}</b>, in this stage since <TimeText at={staged.since} />
          </>
        }
        actions={
          <Anchor component={Link} to="/scorecards" size="sm">
            All scorecards
          </Anchor>
        }
      />
      <Paper withBorder p="md" mb="md">
        <Group justify="space-between" gap="md">
          <Group gap="sm">
            <StageBadge stage={staged.stage} />
            <Group gap={4} wrap="nowrap">
              <Text size="sm" className="tabular">
                Version {shortVersion(version)}
              </Text>
              <CopyButton value={version} what="version" />
            </Group>
            <Text size="sm" c="dimmed">
              {staged.kinds.join(', ')} ·{' '}
              {staged.platforms.map((platform) => labelOf(PLATFORM_LABELS, platform)).join(', ')}
            </Text>
          </Group>
          <AdminOnly>
            <StageActions code={code} staged={staged} versions={versions} />
          </AdminOnly>
        </Group>
      </Paper>
      {staged.suspended && <SuspensionAlert {...staged.suspended} />}
      <Tabs
        value={view}
        onChange={(chosen) =>
          setSearch(chosen === 'trial' ? {} : { view: chosen ?? '' }, { preventScrollReset: true })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="trial">Backtest</Tabs.Tab>
          <Tabs.Tab value="stability">Stability</Tabs.Tab>
          <Tabs.Tab value="definition">Definition</Tabs.Tab>
          <Tabs.Tab value="raw">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="trial">
          <BacktestPanel code={code} version={version} />
        </Tabs.Panel>
        <Tabs.Panel value="stability">
          <StabilityTable code={code} version={version} />
        </Tabs.Panel>
        <Tabs.Panel value="definition">
          <DefinitionView version={version} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <RawDefinition version={version} name={code} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
