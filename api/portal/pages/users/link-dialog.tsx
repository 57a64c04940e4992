import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy, IconInfoCircle } from '@tabler/icons-react'
import { TimeText } from '../../parts/time-text.tsx'
import type { CreatedLink } from './user-types.ts'

/** Shows a new link to set a password, for the admin to share. */
export function LinkDialog({ created, close }: { created: CreatedLink | undefined; close: () => void }) {
  const link = created ? `${location.origin}/invitation#${created.link.token}` : ''
  return (
    <Modal
      opened={created !== undefined}
      onClose={close}
      title="Share invitation link"
      centered
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {created && (
        <Stack>
          <Text size="sm" component="div">
            <b>{created.userEmail}</b> can use this link to set a password until{' '}
            <TimeText at={created.link.expiresAt} />.
          </Text>
          <TextInput label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />
          <Alert variant="light" icon={<IconInfoCircle aria-hidden />}>
            One-time link. Share it securely: it is not shown again.
          </Alert>
          <Group justify="flex-end">
            <CopyButton value={link} timeout={2_000}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={
                    copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
                  }
                  onClick={copy}
                  data-autofocus
                >
                  {copied ? 'Copied' : 'Copy link'}
                </Button>
              )}
            </CopyButton>
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
