import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiProblem } from '../client/api-problem.ts'

/** Shows an error, with a button that retries. */
export function ErrorState({
  error,
  what,
  retry,
}: {
  error: unknown
  /** Noun of what could not be loaded, as in "datasets"; omitted for an action. */
  what?: string
  retry?: () => void
}) {
  const problem = error instanceof ApiProblem ? error : undefined
  const failed = what === undefined ? 'Request failed' : `Couldn't load ${what}`
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={problem?.status === 403 ? "You don't have access" : failed}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{problem?.message ?? 'This page has an error. Reload it and try again.'}</Text>
        {problem?.traceId !== undefined && problem.status >= 500 && (
          <Text size="xs" c="dimmed">
            Trace ID for support: <Code>{problem.traceId}</Code>
          </Text>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
