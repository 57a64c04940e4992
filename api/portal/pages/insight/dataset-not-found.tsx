import { Button, Code } from '@mantine/core'
import { IconDatabaseSearch } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { listAddress } from '../datasets/list-location.ts'

/** Length of the prefix that the search link offers. */
const PREFIX_LENGTH = 6

/** Shown instead of a dataset that the subscription does not have. */
export function DatasetNotFound({ referenceNumber }: { referenceNumber: string }) {
  const prefix = [...referenceNumber].slice(0, PREFIX_LENGTH).join('')
  return (
    <>
      <PageHeader title="Dataset not found" />
      <EmptyState
        icon={IconDatabaseSearch}
        title="Your subscription has no dataset with this reference number"
        action={
          <Button component={Link} to={listAddress({ search: prefix })}>
            Search for {prefix}…
          </Button>
        }
      >
        <Code style={{ overflowWrap: 'anywhere' }}>{referenceNumber}</Code> may be mistyped, not uploaded yet,
        or belong to another subscription.
      </EmptyState>
    </>
  )
}
