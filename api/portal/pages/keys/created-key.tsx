import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'

/** A key, the one time that it can be seen, with a button that copies it. */
export function CreatedKey({ value }: { value: string }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Copy the key now">
        You will not see it again: only a fingerprint of it is kept. Put it where your other secrets are.
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
