import { Alert, Code, Group, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CopyButton } from '../../parts/copy-button.tsx'

/** A new secret, shown once, with a copy button. */
export function SecretText({ value }: { value: string }) {
  return (
    <Stack gap="sm">
      <Alert
        color="orange"
        variant="light"
        icon={<IconAlertTriangle aria-hidden />}
        title="Copy the secret now"
      >
        It is not shown again. The receiver verifies signatures with it.
      </Alert>
      <Group gap="xs" wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere' }} data-testid="secret">
          {value}
        </Code>
        <CopyButton value={value} what="secret" />
      </Group>
    </Stack>
  )
}
