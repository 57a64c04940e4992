import { Container } from '@mantine/core'
import { useRouteError } from 'react-router'
import { ErrorState } from '../parts/error-state.tsx'

/** In place of a page that failed: also when the service was updated, and a part of the old page is gone. */
export function PageError() {
  return (
    <Container py="xl" size="sm">
      <ErrorState error={useRouteError()} retry={() => location.reload()} />
    </Container>
  )
}
