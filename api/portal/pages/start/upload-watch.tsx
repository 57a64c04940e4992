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

/** Where the awaited dataset comes from, with the texts of the panel. */
const SOURCES = {
  backend: {
    query: { limit: 1 },
    label: 'Uploads',
    what: 'uploads',
    waitingFirst: 'Waiting for your first upload',
    waitingNext: 'Waiting for the next upload',
    hint: 'Run the commands; this updates automatically.',
    last: 'The last upload was',
    arrivedFirst: 'Your first dataset has arrived',
    arrivedNext: 'A new dataset has arrived',
  },
  browser: {
    query: { limit: 1, platform: 'web' },
    label: 'Captures',
    what: 'captures',
    waitingFirst: 'Waiting for the first capture',
    waitingNext: 'Waiting for the next capture',
    hint: 'Open your page and submit its form; this updates automatically.',
    last: 'The last capture from a browser was',
    arrivedFirst: 'The first capture has arrived',
    arrivedNext: 'A new capture has arrived',
  },
} as const

type Texts = (typeof SOURCES)[keyof typeof SOURCES]

/** Waits for the next dataset from a backend or browser while the page is open, and links to its insight. */
export function UploadWatch({ from }: { from: keyof typeof SOURCES }) {
  const texts: Texts = SOURCES[from]
  const [openedAt] = useState(Date.now)
  const newestQuery = queries.queryOptions('get', '/api/datasets/v1', {
    params: { query: texts.query },
  })
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
    <Paper withBorder p="lg" pos="sticky" top={80} component="section" aria-label={texts.label}>
      <Stack gap="sm" aria-live="polite" mih={112}>
        {failed.error ? (
          <ErrorState error={failed.error} what={texts.what} retry={() => void failed.refetch()} />
        ) : arrived ? (
          <Arrived dataset={newest} title={previous ? texts.arrivedNext : texts.arrivedFirst} />
        ) : (
          <Waiting newest={newest ?? previous} texts={texts} />
        )}
      </Stack>
    </Paper>
  )
}

function Waiting({ newest, texts }: { newest: Dataset | undefined; texts: Texts }) {
  return (
    <>
      <Group gap="xs">
        <Loader size="xs" aria-hidden />
        <Title order={2}>{newest ? texts.waitingNext : texts.waitingFirst}</Title>
      </Group>
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      {newest && (
        <Text size="sm" c="dimmed">
          {texts.last} <TimeText at={newest.uploadedAt} since />.
        </Text>
      )}
    </>
  )
}

function Arrived({ dataset, title }: { dataset: Dataset; title: string }) {
  const { referenceNumber, status, scores, invalid } = dataset
  const score = scores.find(({ value }) => value !== null)
  return (
    <>
      <Title order={2}>{title}</Title>
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
