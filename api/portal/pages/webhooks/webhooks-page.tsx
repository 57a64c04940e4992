import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TableSkeleton } from '../../parts/table-skeleton.tsx'
import { KeyTabs } from '../keys/key-tabs.tsx'
import { CreateWebhookDialog } from './create-webhook-dialog.tsx'
import { WEBHOOK_COLUMNS } from './webhook-columns.tsx'

export function WebhooksPage() {
  const [creating, { open, close }] = useDisclosure(false)
  const { data, error, refetch } = queries.useQuery('get', '/api/webhooks/v1')
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create webhook
    </Button>
  )
  return (
    <>
      <KeyTabs />
      <PageHeader
        title="Webhooks"
        description="Your backend receives an event when a dataset is ready, invalid or deleted, and more. Messages are signed; see the documentation for how to verify them."
        actions={createButton}
      />
      {data ? (
        data.items.length > 0 ? (
          <RecordTable
            label="Webhooks"
            columns={WEBHOOK_COLUMNS}
            rows={data.items}
            rowId={({ id }) => String(id)}
            isDimmed={({ state }) => state === 'disabled'}
          />
        ) : (
          <EmptyState icon={IconSend} title="No webhooks yet" action={createButton}>
            Create one for each backend that needs to know what happens.
          </EmptyState>
        )
      ) : error ? (
        <ErrorState error={error} what="webhooks" retry={() => void refetch()} />
      ) : (
        <TableSkeleton />
      )}
      <CreateWebhookDialog opened={creating} close={close} />
    </>
  )
}
