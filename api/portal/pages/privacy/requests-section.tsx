import { Title } from '@mantine/core'
import { IconUserShield } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import type { PrivacyRequest } from './privacy-types.ts'
import { REQUEST_COLUMNS } from './request-columns.tsx'

/** The newest requests to export and erase persons, without their names. */
export function RequestsSection({ requests }: { requests: readonly PrivacyRequest[] }) {
  return (
    <section aria-labelledby="requests-title">
      <Title order={2} id="requests-title" mb="md">
        Requests
      </Title>
      {requests.length === 0 ? (
        <EmptyState icon={IconUserShield} title="No requests yet">
          Exports and erasures appear here. They name each person by a keyed hash.
        </EmptyState>
      ) : (
        <RecordTable label="Requests" columns={REQUEST_COLUMNS} rows={requests} rowId={({ id }) => id} />
      )}
    </section>
  )
}
