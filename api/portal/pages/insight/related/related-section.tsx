import { Anchor, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { ErrorState } from '../../../parts/error-state.tsx'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import type { Dataset } from '../insight-types.ts'
import { Section } from '../section.tsx'
import styles from './related-section.module.css'
import { UploadChart } from './upload-chart.tsx'
import { type RelatedDataset, useRelatedDatasets } from './use-related-datasets.ts'

/** Rows that are shown until all are asked for. */
const SHOWN = 6

/** Other datasets of the device and of the client: who the client is, and what they share. */
export function RelatedSection({ dataset }: { dataset: Dataset }) {
  const { deviceId, clientId } = dataset
  if (deviceId === null && clientId === null) return null
  return (
    <Section
      title="Related datasets"
      description={`Other datasets of the same ${deviceId === null ? 'client' : clientId === null ? 'device' : 'device or client'}`}
      aside={
        <Group gap="md">
          {deviceId !== null && (
            <Anchor component={Link} size="sm" to={`/datasets?${new URLSearchParams({ deviceId })}`}>
              All of this device
            </Anchor>
          )}
          {clientId !== null && (
            <Anchor component={Link} size="sm" to={`/datasets?${new URLSearchParams({ clientId })}`}>
              All of this client
            </Anchor>
          )}
        </Group>
      }
    >
      <RelatedDatasets dataset={dataset} />
    </Section>
  )
}

function RelatedDatasets({ dataset }: { dataset: Dataset }) {
  const [all, setAll] = useState(false)
  const { neighbours, isPending, error, hasMore, refetch } = useRelatedDatasets(dataset)
  const others = neighbours.filter(({ item }) => item.referenceNumber !== dataset.referenceNumber)
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton height={120} />
  if (others.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No related datasets.
      </Text>
    )
  const shown = all ? others : others.slice(0, SHOWN)
  return (
    <Stack gap="md">
      <UploadChart neighbours={neighbours} own={dataset.referenceNumber} />
      <ul className={styles.list}>
        {shown.map((neighbour) => (
          <RelatedRow key={neighbour.item.referenceNumber} neighbour={neighbour} />
        ))}
      </ul>
      {others.length > shown.length && (
        <Button size="xs" variant="default" onClick={() => setAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {others.length}
        </Button>
      )}
      {hasMore && (
        <Text size="xs" c="dimmed">
          Only the newest 100 of the device and of the client are listed here.
        </Text>
      )}
    </Stack>
  )
}

function RelatedRow({ neighbour: { item, sameDevice, sameClient } }: { neighbour: RelatedDataset }) {
  const scores = item.scores.map(({ value }) => value ?? 'no score').join(', ')
  return (
    <li className={styles.row}>
      <Anchor
        component={Link}
        size="sm"
        fw={500}
        to={`/datasets/${encodeURIComponent(item.referenceNumber)}`}
      >
        {item.referenceNumber}
      </Anchor>
      <Text size="sm" c="dimmed">
        <TimeText at={item.uploadedAt} />
      </Text>
      <Text size="sm" className={styles.client ?? ''}>
        {item.clientId === null ? (
          <Text span inherit c="dimmed">
            No client
          </Text>
        ) : (
          <>
            <Text span inherit c="dimmed">
              Client
            </Text>{' '}
            {item.clientId}
          </>
        )}
      </Text>
      <Group gap={4}>
        {sameDevice && <Share>same device</Share>}
        {sameClient && <Share>same client</Share>}
      </Group>
      <Text size="sm" className={styles.score}>
        {scores}
      </Text>
      <StatusBadge state={item.status} size="sm" />
    </li>
  )
}

const Share = ({ children }: { children: string }) => (
  <Badge variant="default" size="sm" tt="none" fw={500}>
    {children}
  </Badge>
)
