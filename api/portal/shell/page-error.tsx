import { Alert, Button, Container, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'
import { isLoadFailure, reloadOnce, reloadWhenAvailable } from '../client/load-failure.ts'

/** Shown instead of a page with an error. Reloads by itself if the page's code could not be loaded, as after a deployment. */
export function PageError() {
  const error = useRouteError()
  return (
    <Container py="xl" size="sm" component="main">
      {isLoadFailure(error) ? (
        <LoadFailure error={error} />
      ) : (
        <ReloadAlert text="This page has an error. Reload it and try again." />
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
    <ReloadAlert text="A file of the page is missing or unreachable. The page reloads when the file is available." />
  )
}

const ReloadAlert = ({ text }: { text: string }) => (
  <Alert
    color="red"
    variant="light"
    icon={<IconAlertTriangle aria-hidden />}
    title="This page couldn't load"
    role="alert"
  >
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{text}</Text>
      <Button size="xs" variant="default" onClick={() => location.reload()}>
        Reload
      </Button>
    </Stack>
  </Alert>
)
