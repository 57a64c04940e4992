import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiProblem } from '../client/api-problem.ts'

/** What went wrong, what to do, and a button that tries again. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiProblem ? error : undefined
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={problem?.status === 403 ? 'You may not see this' : 'That did not work'}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {problem?.message ?? 'Something went wrong in this page; reload it and try again'}
        </Text>
        {problem?.traceId !== undefined && problem.status >= 500 && (
          <Text size="xs" c="dimmed">
            For whoever operates this service: <Code>{problem.traceId}</Code>
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
