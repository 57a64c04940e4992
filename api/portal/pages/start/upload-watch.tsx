import { Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeText } from '../../parts/time-text.tsx'

type Dataset = components['schemas']['DatasetItem']

const POLL_MS = 2_000

/** Watches for the next upload of the subscription while the page is open, and leads to its insight. */
export function UploadWatch() {
  const { data, error, refetch } = queries.useQuery(
    'get',
    '/api/datasets/v1',
    { params: { query: { limit: 1 } } },
    { refetchInterval: POLL_MS, staleTime: 0 },
  )
  /** The newest that was there when the page came; null: none. */
  const [before, setBefore] = useState<string | null>()
  const newest = data?.items[0]
  if (data && before === undefined) setBefore(newest?.referenceNumber ?? null)
  const arrived = before !== undefined && newest !== undefined && newest.referenceNumber !== before
  return (
    <Paper withBorder p="lg" pos="sticky" top={80} component="section" aria-label="Uploads">
      <Stack gap="sm" aria-live="polite" mih={112}>
        {error ? (
          <ErrorState error={error} what="uploads" retry={() => void refetch()} />
        ) : arrived ? (
          <Arrived dataset={newest} first={before === null} />
        ) : (
          <Waiting newest={newest} />
        )}
      </Stack>
    </Paper>
  )
}

function Waiting({ newest }: { newest: Dataset | undefined }) {
  return (
    <>
      <Group gap="xs">
        <Loader size="xs" aria-hidden />
        <Title order={2}>{newest ? 'Waiting for the next upload' : 'Waiting for your first upload'}</Title>
      </Group>
      <Text size="sm" c="dimmed">
        Run the commands; this notices an upload by itself.
      </Text>
      {newest && (
        <Text size="sm" c="dimmed">
          The last one was <TimeText at={newest.uploadedAt} since />.
        </Text>
      )}
    </>
  )
}

function Arrived({ dataset, first }: { dataset: Dataset; first: boolean }) {
  const { referenceNumber, status, scores, invalid } = dataset
  const score = scores.find(({ value }) => value !== null)
  return (
    <>
      <Title order={2}>{first ? 'Your first dataset is here' : 'A new dataset is here'}</Title>
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {referenceNumber}
      </Text>
      <Group gap="xs">
        <StatusBadge state={status} />
        {score && (
          <Text size="sm">
            Score <b>{score.value}</b>
          </Text>
        )}
      </Group>
      {invalid && <Text size="sm">{invalid.detail}</Text>}
      <Group>
        <Button
          component={Link}
          to={`/datasets/${encodeURIComponent(referenceNumber)}`}
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          {status === 'ready' ? 'Read its insight' : 'Look at it'}
        </Button>
      </Group>
    </>
  )
}
