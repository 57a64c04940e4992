import { Box, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { type RecordColumns, RecordTable } from '../../parts/record-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { DatasetItem } from './dataset-query.ts'
import styles from './dataset-table.module.css'
import { listLocation } from './list-location.ts'
import { PlatformText } from './platform-text.tsx'
import { ScoreTexts } from './score-texts.tsx'

/** An identifier, truncated if too long. */
const truncated = (text: string | null) =>
  text === null ? (
    <Text c="dimmed">–</Text>
  ) : (
    <Text size="sm" c="dimmed" className={styles.quiet ?? ''} title={text}>
      {text}
    </Text>
  )

function ReferenceLink({ referenceNumber }: { referenceNumber: string }) {
  const { search, hash } = useLocation()
  return (
    <Link
      className={styles.link}
      to={`/datasets/${encodeURIComponent(referenceNumber)}`}
      state={listLocation(search + hash)}
    >
      {referenceNumber}
    </Link>
  )
}

const COLUMNS: RecordColumns<DatasetItem> = [
  {
    id: 'referenceNumber',
    header: 'Reference number',
    cell: ({ row: { original } }) => <ReferenceLink referenceNumber={original.referenceNumber} />,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ row: { original } }) => (
      <StatusBadge
        status={original.waiting && original.status !== 'deleted' ? 'received' : original.status}
      />
    ),
  },
  { id: 'scores', header: 'Score', cell: ({ row }) => <ScoreTexts item={row.original} /> },
  {
    id: 'platform',
    header: 'Platform',
    cell: ({ row }) => <PlatformText platform={row.original.platform} />,
  },
  {
    id: 'uploadedAt',
    header: 'Uploaded',
    cell: ({ row }) => (
      <Text component="span" size="sm" className={styles.time ?? ''}>
        <TimeText at={row.original.uploadedAt} tabStop={false} />
      </Text>
    ),
  },
  { id: 'clientId', header: 'Client', cell: ({ row }) => truncated(row.original.clientId) },
]

/** Datasets in the given order; cards on narrow screens. */
export function DatasetTable({ items, isFaded }: { items: readonly DatasetItem[]; isFaded: boolean }) {
  return (
    <Box opacity={isFaded ? 0.6 : 1}>
      <RecordTable
        label="Datasets"
        columns={COLUMNS}
        rows={items}
        rowId={({ referenceNumber }) => referenceNumber}
        styles={styles}
      />
    </Box>
  )
}
