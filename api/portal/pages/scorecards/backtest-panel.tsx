import {
  Alert,
  Button,
  Group,
  NumberInput,
  Paper,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconAlertTriangle, IconPlayerPlay } from '@tabler/icons-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Captures } from '../../../scorecards/scorecard-schemas.ts'
import { queries } from '../../client/api.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { BacktestResult } from './backtest-result.tsx'
import type { StagedVersion, Trial } from './scorecard-types.ts'
import { useStageChanges } from './use-stage-changes.ts'
import { VerificationResult } from './verification-result.tsx'

const POLL_MS = 1_000

const isOpen = (trial: Trial | undefined) => trial?.state === 'waiting' || trial?.state === 'running'

/**
 * The last trial of a version, which goes on by itself, and a way to have it tried again. What the page knows of it from
 * the list of versions, and so whether the version can be promoted, is read again when that is no longer so.
 */
export function BacktestPanel({
  code,
  version,
  listed,
}: {
  code: string
  version: string
  /** The last trial as it was when the versions were listed. */
  listed: StagedVersion['trial']
}) {
  const { refresh } = useStageChanges(code)
  const { data, error, isPending, refetch } = queries.useQuery(
    'get',
    '/api/scorecards/v1/{code}/trials',
    { params: { path: { code }, query: { version } } },
    { refetchInterval: ({ state }) => (isOpen(state.data?.items[0]) ? POLL_MS : false) },
  )
  const trial = data?.items[0]
  const open = isOpen(trial)
  const isNews = trial !== undefined && (trial.id !== listed?.id || trial.state !== listed.state)
  useEffect(() => {
    if (isNews && !open) void refresh()
  }, [isNews, open, refresh])

  if (isPending) return <Skeleton height={320} />
  if (error) return <ErrorState error={error} what="the trial" retry={() => void refetch()} />
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Group justify="space-between" align="flex-end" gap="md">
          <Stack gap={2}>
            <Title order={2}>{trial ? TITLES[trial.state] : 'Not tried yet'}</Title>
            <Text size="sm" c="dimmed">
              {trial ? (
                <>
                  Asked for by {trial.askedBy} <TimeText at={trial.askedAt} since />
                </>
              ) : (
                'A trial verifies the rows that the definition brought along and scores stored captures by it.'
              )}
            </Text>
          </Stack>
          {!open && (
            <AdminOnly>
              <BacktestForm code={code} version={version} captures={trial?.captures ?? 10_000} />
            </AdminOnly>
          )}
        </Group>
        {trial && open && <BacktestProgress {...trial} />}
        {trial?.state === 'failed' && (
          <Alert
            color="red"
            variant="light"
            mt="md"
            icon={<IconAlertTriangle aria-hidden />}
            title="It came to no end"
          >
            {trial.error}
          </Alert>
        )}
      </Paper>
      {trial?.result && (
        <>
          <VerificationResult {...trial.result.verification} />
          <BacktestResult {...trial.result.dryRun} />
        </>
      )}
    </Stack>
  )
}

const TITLES: Record<Trial['state'], string> = {
  waiting: 'The trial waits for a worker',
  running: 'The trial is under way',
  done: 'The trial is done',
  failed: 'The trial failed',
}

function BacktestProgress({ progress, captures, state }: Trial) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Progress
        value={(100 * progress) / captures}
        animated={state === 'running'}
        aria-label="Captures scored"
        size="lg"
      />
      <Text size="sm" c="dimmed">
        {state === 'waiting'
          ? 'A worker takes it within seconds, when datasets that come in leave it the time'
          : `${countText(progress)} captures scored, of at most ${countText(captures)}`}
      </Text>
    </Stack>
  )
}

function BacktestForm({ code, version, captures }: { code: string; version: string; captures: number }) {
  const { tryAgain } = useStageChanges(code)
  const [asked, setAsked] = useState<number | string>(captures)
  const [state, setState] = useState<{ busy: boolean; fault?: string | undefined; error?: unknown }>({
    busy: false,
  })

  async function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = Captures.safeParse(asked)
    if (!parsed.success) return setState({ busy: false, fault: parsed.error.issues[0]?.message })
    setState({ busy: true })
    try {
      await tryAgain(version, parsed.data)
      setState({ busy: false })
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end" gap="xs">
        <NumberInput
          label="Last captures"
          size="xs"
          value={asked}
          onChange={setAsked}
          min={1}
          max={100_000}
          thousandSeparator=","
          error={state.fault}
          w={120}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={state.busy}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
        >
          Try it
        </Button>
      </Group>
      {state.error !== undefined && <ErrorState error={state.error} />}
    </form>
  )
}
