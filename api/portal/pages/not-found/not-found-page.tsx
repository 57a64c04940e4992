import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={IconMapQuestion}
        title="No page at this address"
        action={
          <Button component={Link} to="/datasets">
            Go to datasets
          </Button>
        }
      >
        The link may be mistyped, or belong to another version of the portal.
      </EmptyState>
    </>
  )
}
