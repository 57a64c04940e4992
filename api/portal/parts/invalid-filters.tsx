import { Button } from '@mantine/core'
import { IconFilterX } from '@tabler/icons-react'
import { EmptyState } from './empty-state.tsx'

/** In place of a list whose link has filters that cannot be applied: which ones, and a button that removes them. */
export function InvalidFilters({
  faults: errors,
  remove,
}: {
  /** In words, as in: Status is "nonsense". */
  faults: readonly string[]
  remove: () => void
}) {
  return (
    <EmptyState
      icon={IconFilterX}
      title={errors.length === 1 ? 'This link has an invalid filter' : 'This link has invalid filters'}
      action={
        <Button variant="default" onClick={remove}>
          {errors.length === 1 ? 'Remove it' : 'Remove them'}
        </Button>
      }
    >
      {errors.join(' · ')}
    </EmptyState>
  )
}
