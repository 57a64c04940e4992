import { Anchor, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { ErrorState } from '../../../parts/error-state.tsx'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { listAddress } from '../../datasets/list-location.ts'
import type { Dataset } from '../insight-types.ts'
import { Section } from '../section.tsx'
import styles from './related-section.module.css'
import { UploadChart } from './upload-chart.tsx'
import { type RelatedDataset, useRelatedDatasets } from './use-related-datasets.ts'

/** Rows shown before the user expands the list. */
const INITIAL_ROWS = 6

/** Other datasets of the same device and client. */
export function RelatedSection({ dataset }: { dataset: Dataset }) {
  const { deviceId, clientId } = dataset
  if (deviceId === null && clientId === null) return null
  return (
    <Section
      title="Related datasets"
      description={`Other datasets from the same ${deviceId === null ? 'client' : clientId === null ? 'device' : 'device or client'}`}
      aside={
        <Group gap="md">
          {deviceId !== null && (
            <Anchor component={Link} size="sm" to={listAddress({ deviceId })}>
              All from this device
            </Anchor>
          )}
          {clientId !== null && (
            <Anchor component={Link} size="sm" to={listAddress({ clientId })}>
              All from this client
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
  const { related, isPending, error, hasMore, refetch } = useRelatedDatasets(dataset)
  const others = related.filter(({ item }) => item.referenceNumber !== dataset.referenceNumber)
  if (error) return <ErrorState error={error} what="related datasets" retry={() => void refetch()} />
  if (isPending) return <Skeleton height={120} />
  if (others.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No related datasets.
      </Text>
    )
  const shown = all ? others : others.slice(0, INITIAL_ROWS)
  return (
    <Stack gap="md">
      <UploadChart related={related} own={dataset.referenceNumber} />
      <ul className={styles.list}>
        {shown.map((dataset) => (
          <RelatedRow key={dataset.item.referenceNumber} dataset={dataset} />
        ))}
      </ul>
      {others.length > shown.length && (
        <Button size="xs" variant="default" onClick={() => setAll(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {others.length}
        </Button>
      )}
      {hasMore && (
        <Text size="xs" c="dimmed">
          Shows the newest 100 of the device and of the client.
        </Text>
      )}
    </Stack>
  )
}

function RelatedRow({ dataset: { item, sameDevice, sameClient } }: { dataset: RelatedDataset }) {
  const scores = item.scores.map(({ value }) => value ?? 'No score').join(', ')
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
        {sameDevice && <SharedBadge>same device</SharedBadge>}
        {sameClient && <SharedBadge>same client</SharedBadge>}
      </Group>
      <Text size="sm" className={styles.score}>
        {scores}
      </Text>
      <StatusBadge status={item.status} size="sm" />
    </li>
  )
}

const SharedBadge = ({ children }: { children: string }) => (
  <Badge variant="default" size="sm" tt="none" fw={500}>
    {children}
  </Badge>
)
