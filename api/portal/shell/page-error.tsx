import { Alert, Button, Container, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'
import { isLoadFailure, reloadOnce, reloadWhenAvailable } from '../client/load-failure.ts'
import { ErrorState } from '../parts/error-state.tsx'

/** In place of a page that failed. One whose code cannot be loaded, as after a deployment, reloads by itself. */
export function PageError() {
  const error = useRouteError()
  return (
    <Container py="xl" size="sm" component="main">
      {isLoadFailure(error) ? (
        <LoadFailure error={error} />
      ) : (
        <ErrorState error={error} retry={() => location.reload()} />
      )}
    </Container>
  )
}

function LoadFailure({ error }: { error: unknown }) {
  const [isReloading, setReloading] = useState(true)
  useEffect(() => {
    if (reloadOnce()) return
    setReloading(false)
    return reloadWhenAvailable(error)
  }, [error])
  if (isReloading) return null
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title="This page couldn't load"
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">A part of it is missing or unreachable. It reloads when the part is available.</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    </Alert>
  )
}
