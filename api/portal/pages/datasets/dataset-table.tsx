import { Box, Paper, Table, Text } from '@mantine/core'
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import { Link } from 'react-router'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import styles from './dataset-table.module.css'
import type { DatasetItem } from './dataset-types.ts'
import { PlatformText } from './platform-text.tsx'
import { ScoreTexts } from './score-texts.tsx'

const features = tableFeatures({})
const column = createColumnHelper<typeof features, DatasetItem>()

/** An identifier, cut where it is too long. */
const quiet = (text: string | null) =>
  text === null ? (
    <Text c="dimmed">–</Text>
  ) : (
    <Text size="sm" c="dimmed" className={styles.quiet ?? ''} title={text}>
      {text}
    </Text>
  )

const columns = column.columns([
  column.accessor('referenceNumber', {
    header: 'Reference number',
    cell: ({ getValue }) => (
      <Link className={styles.link} to={`/datasets/${encodeURIComponent(getValue())}`}>
        {getValue()}
      </Link>
    ),
  }),
  column.accessor('status', {
    header: 'State',
    cell: ({ row: { original } }) => (
      <StateBadge state={original.waiting && original.status !== 'deleted' ? 'received' : original.status} />
    ),
  }),
  column.display({
    id: 'scores',
    header: 'Score',
    cell: ({ row }) => <ScoreTexts item={row.original} />,
  }),
  column.accessor('platform', {
    header: 'Platform',
    cell: ({ getValue }) => <PlatformText platform={getValue()} />,
  }),
  column.accessor('uploadedAt', {
    header: 'Uploaded',
    cell: ({ getValue }) => (
      <Text component="span" size="sm" className={styles.time ?? ''}>
        <TimeText at={getValue()} />
      </Text>
    ),
  }),
  column.accessor('clientId', { header: 'Client', cell: ({ getValue }) => quiet(getValue()) }),
])

/** Datasets in the order in which they come; cards where there is no room for a table. */
export function DatasetTable({ items, isFaded }: { items: readonly DatasetItem[]; isFaded: boolean }) {
  const table = useTable<typeof features, DatasetItem>({
    features,
    columns,
    data: items as DatasetItem[],
    getRowId: ({ referenceNumber }) => referenceNumber,
  })
  return (
    <Paper withBorder opacity={isFaded ? 0.6 : 1} style={{ overflow: 'hidden' }}>
      <Table
        role="table"
        aria-label="Datasets"
        className={styles.table ?? ''}
        verticalSpacing="sm"
        horizontalSpacing="md"
      >
        <Table.Thead role="rowgroup">
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id} role="row">
              {group.headers.map((header) => (
                <Table.Th key={header.id} role="columnheader" scope="col">
                  <table.FlexRender header={header} />
                </Table.Th>
              ))}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.id} role="row" className={styles.row ?? ''}>
              {row.getAllCells().map((cell) => (
                <Table.Td key={cell.id} role="cell" data-column={cell.column.id}>
                  <Box>
                    <table.FlexRender cell={cell} />
                  </Box>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
