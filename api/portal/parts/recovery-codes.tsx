import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconInfoCircle } from '@tabler/icons-react'

/** Shows new recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  return (
    <Stack>
      <Text size="sm">
        Each code signs you in once, with your password, if you have lost your other factors. Keep them where
        you keep your passwords.
      </Text>
      <Stack gap="xs">
        {codes.map((code) => (
          <Code key={code} fz="sm" ta="center">
            {code}
          </Code>
        ))}
      </Stack>
      <Alert variant="light" icon={<IconInfoCircle aria-hidden />}>
        These codes are not shown again.
      </Alert>
      <Group justify="flex-end">
        <CopyButton value={codes.join('\n')} timeout={2_000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy codes'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={done}>I have stored the codes</Button>
      </Group>
    </Stack>
  )
}
