import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy, IconInfoCircle } from '@tabler/icons-react'
import { TimeText } from '../../parts/time-text.tsx'
import type { CreatedLink } from './user-types.ts'

/** Shows a link to set a password, this once, for the admin to hand over. */
export function LinkDialog({ made, close }: { made: CreatedLink | undefined; close: () => void }) {
  const link = made ? `${location.origin}/invitation#${made.link.token}` : ''
  return (
    <Modal
      opened={made !== undefined}
      onClose={close}
      title="Hand over this link"
      centered
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made && (
        <Stack>
          <Text size="sm" component="div">
            <b>{made.userEmail}</b> sets a password by it, once, until <TimeText at={made.link.expiresAt} />.
            Send it by a way that only they read.
          </Text>
          <TextInput label="Link" value={link} readOnly onFocus={({ target }) => target.select()} />
          <Alert variant="light" icon={<IconInfoCircle aria-hidden />}>
            It is shown this once. If it is lost, make a new one.
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
