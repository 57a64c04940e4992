import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Nothing here" />
      <EmptyState
        icon={IconMapQuestion}
        title="There is no page at this address"
        action={
          <Button component={Link} to="/datasets">
            Look at datasets
          </Button>
        }
      >
        The link may be mistyped or of another version of the portal.
      </EmptyState>
    </>
  )
}
