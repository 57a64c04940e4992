import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** A new key or secret, shown once, with a copy button. @param label for assistive technology. */
export function ShownOnce({
  value,
  what,
  label,
  children,
}: {
  value: string
  what: 'key' | 'secret'
  label: string
  children: ReactNode
}) {
  return (
    <Stack gap="sm">
      <Alert
        color="orange"
        variant="light"
        icon={<IconAlertTriangle aria-hidden />}
        title={`Copy the ${what} now`}
      >
        {children}
      </Alert>
      <Group gap="sm" align="stretch">
        <Code
          block
          style={{ flex: '1 1 16rem', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          data-testid={what}
          aria-label={label}
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
              {copied ? 'Copied' : `Copy ${what}`}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  )
}
