import { Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { withVersion } from '../../client/with-version.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeText } from '../../parts/time-text.tsx'

type Dataset = components['schemas']['DatasetItem']

const POLL_MS = 2_000

/** Waits for the next upload of the subscription while the page is open, and links to its insight. */
export function UploadWatch() {
  const [openedAt] = useState(Date.now)
  const newestQuery = queries.queryOptions('get', '/api/datasets/v1', { params: { query: { limit: 1 } } })
  const before = useQuery({
    ...withVersion(newestQuery, openedAt),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const now = useQuery({
    ...newestQuery,
    enabled: before.isSuccess,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
  const previous = before.data?.items[0]
  const newest = now.data?.items[0]
  const arrived = before.isSuccess && newest && newest.referenceNumber !== previous?.referenceNumber
  const failed = before.error ? before : now
  return (
    <Paper withBorder p="lg" pos="sticky" top={80} component="section" aria-label="Uploads">
      <Stack gap="sm" aria-live="polite" mih={112}>
        {failed.error ? (
          <ErrorState error={failed.error} what="uploads" retry={() => void failed.refetch()} />
        ) : arrived ? (
          <Arrived dataset={newest} first={previous === undefined} />
        ) : (
          <Waiting newest={newest ?? previous} />
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
        Run the commands; this updates automatically.
      </Text>
      {newest && (
        <Text size="sm" c="dimmed">
          The last upload was <TimeText at={newest.uploadedAt} since />.
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
      <Title order={2}>{first ? 'Your first dataset has arrived' : 'A new dataset has arrived'}</Title>
      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {referenceNumber}
      </Text>
      <Group gap="xs">
        <StatusBadge status={status} />
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
          {status === 'ready' ? 'Open insight' : 'Open dataset'}
        </Button>
      </Group>
    </>
  )
}
