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
import { type FormEvent, useState } from 'react'
import { Captures } from '../../../scorecards/scorecard-schemas.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { BacktestResult } from './backtest-result.tsx'
import type { Trial } from './scorecard-types.ts'
import { isRunning, useLatestTrial } from './use-latest-trial.ts'
import { useStageChanges } from './use-stage-changes.ts'
import { VerificationResult } from './verification-result.tsx'

/** The latest backtest of a version, with a form to run another one. */
export function BacktestPanel({ code, version }: { code: string; version: string }) {
  const { trial, error, isPending, refetch } = useLatestTrial(code, version)
  if (isPending) return <Skeleton height={320} />
  if (error) return <ErrorState error={error} what="the backtest" retry={() => void refetch()} />
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Group justify="space-between" align="flex-end" gap="md">
          <Stack gap={2}>
            <Title order={2}>{trial ? TITLES[trial.state] : 'No backtest yet'}</Title>
            <Text size="sm" c="dimmed">
              {trial ? (
                <>
                  Started by {trial.askedBy} <TimeText at={trial.askedAt} since />
                </>
              ) : (
                'A backtest checks the verification rows of the definition and scores stored datasets.'
              )}
            </Text>
          </Stack>
          {!isRunning(trial) && (
            <AdminOnly>
              <BacktestForm code={code} version={version} captures={trial?.captures ?? 10_000} />
            </AdminOnly>
          )}
        </Group>
        {trial && isRunning(trial) && <BacktestProgress {...trial} />}
        {trial?.state === 'failed' && (
          <Alert
            color="red"
            variant="light"
            mt="md"
            icon={<IconAlertTriangle aria-hidden />}
            title="Backtest failed"
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
  waiting: 'Backtest waiting',
  running: 'Backtest running',
  done: 'Backtest done',
  failed: 'Backtest failed',
}

function BacktestProgress({ progress, captures, state }: Trial) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Progress
        value={(100 * progress) / captures}
        animated={state === 'running'}
        aria-label="Datasets scored"
        size="lg"
      />
      <Text size="sm" c="dimmed">
        {state === 'waiting'
          ? 'A worker starts it within seconds, after waiting datasets'
          : `${countText(progress)} of at most ${countText(captures)} datasets scored`}
      </Text>
    </Stack>
  )
}

function BacktestForm({ code, version, captures }: { code: string; version: string; captures: number }) {
  const { backtest } = useStageChanges(code)
  const [size, setSize] = useState<number | string>(captures)
  const [state, setState] = useState<{ busy: boolean; sizeError?: string | undefined; error?: unknown }>({
    busy: false,
  })

  async function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = Captures.safeParse(size)
    if (!parsed.success) return setState({ busy: false, sizeError: parsed.error.issues[0]?.message })
    setState({ busy: true })
    try {
      await backtest(version, parsed.data)
      setState({ busy: false })
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end" gap="xs">
        <NumberInput
          label="Sample size"
          size="xs"
          value={size}
          onChange={setSize}
          min={1}
          max={100_000}
          thousandSeparator=","
          error={state.sizeError}
          w={120}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={state.busy}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
        >
          Run backtest
        </Button>
      </Group>
      {state.error !== undefined && <ErrorState error={state.error} />}
    </form>
  )
}
