import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'

/** A new key, shown once, with a copy button. */
export function CreatedKey({ value }: { value: string }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Copy the key now">
        It is not shown again: only its hash is stored. Keep it with your other secrets.
      </Alert>
      <Group gap="sm" align="stretch">
        <Code
          block
          style={{ flex: '1 1 16rem', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          data-testid="key"
          aria-label="API key"
          role="textbox"
          aria-readonly
          tabIndex={0}
        >
          {value}
        </Code>
        <CopyButton value={value} timeout={4_000}>
          {({ copied, copy }) => (
            <Button
              onClick={copy}
              color={copied ? 'teal' : 'ink'}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              h="auto"
              mih={36}
            >
              {copied ? 'Copied' : 'Copy key'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  )
}
