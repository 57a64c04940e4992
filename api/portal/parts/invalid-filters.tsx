import { Button } from '@mantine/core'
import { IconFilterX } from '@tabler/icons-react'
import { EmptyState } from './empty-state.tsx'

/** Shown instead of a list when its link has invalid filters: names them, with a button that removes them. */
export function InvalidFilters({
  errors,
  remove,
}: {
  /** Such as: Status is “nonsense”. */
  errors: readonly string[]
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
