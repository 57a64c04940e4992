import { Paper, Table } from '@mantine/core'
import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table'
import lines from './record-table.module.css'
import { useRowWindow } from './use-row-window.ts'

const features = tableFeatures({})

/** Columns of a table of records. On phones a text `header` labels each value; CSS selects cells by `id`. */
export type RecordColumns<Row extends object> = ColumnDef<typeof features, Row>[]

/**
 * A table of records in the given order. On narrow screens each record is a block of labelled lines, still a table to screen
 * readers. Long tables render only the rows near the visible ones.
 */
export function RecordTable<Row extends object>({
  label,
  columns,
  rows,
  rowId,
  isDimmed,
  styles = lines,
}: {
  /** Accessible name of the table. */
  label: string
  /** Must be stable: a constant, or from useMemo. */
  columns: RecordColumns<Row>
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** Whether a record is inactive. */
  isDimmed?: (row: Row) => boolean
  /** A CSS module with `frame`, `table` and `row`, for another layout on phones. */
  styles?: Readonly<Record<string, string | undefined>>
}) {
  const table = useTable<typeof features, Row>({
    features,
    columns,
    data: rows as Row[],
    getRowId: rowId,
  })
  const records = table.getRowModel().rows
  const { parts, bodyProps, rowProps } = useRowWindow(records.length)
  return (
    <Paper withBorder className={styles.frame ?? ''}>
      <Table
        className={styles.table ?? ''}
        role="table"
        aria-label={label}
        aria-rowcount={records.length + 1}
        verticalSpacing="sm"
        horizontalSpacing="md"
      >
        <Table.Thead role="rowgroup">
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id} role="row" aria-rowindex={1}>
              {group.headers.map((header) => (
                <Table.Th key={header.id} role="columnheader" scope="col">
                  <table.FlexRender header={header} />
                </Table.Th>
              ))}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody role="rowgroup" {...bodyProps}>
          {parts.map((part, at) => {
            if ('spacePx' in part)
              return <Space key={`space ${at === 0 ? 'before' : at}`} px={part.spacePx} />
            const row = records[part.row]
            if (!row) return null
            return (
              <Table.Tr
                key={row.id}
                role="row"
                className={styles.row ?? ''}
                data-dimmed={isDimmed?.(row.original) || undefined}
                {...rowProps(part.row)}
              >
                {row.getAllCells().map((cell) => (
                  <Table.Td
                    key={cell.id}
                    role="cell"
                    data-column={cell.column.id}
                    data-name={nameOf(cell.column.columnDef.header)}
                  >
                    <table.FlexRender cell={cell} />
                  </Table.Td>
                ))}
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

/** As high as the rows that are not rendered. */
const Space = ({ px }: { px: number }) => (
  <tr aria-hidden style={{ display: 'block', height: px, padding: 0 }} />
)

const nameOf = (header: unknown) => (typeof header === 'string' && header !== '' ? header : undefined)
