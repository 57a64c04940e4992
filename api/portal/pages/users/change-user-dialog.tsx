import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { type Asked, type MadeLink, ROLES } from './asked.ts'

interface Words {
  readonly title: string
  readonly question: string
  readonly confirm: string
  /** What is told when it is done. */
  readonly done: string
}

function wordsOf(asked: Asked): Words {
  const { userEmail } = asked.user
  if (asked.what === 'role')
    return {
      title: `Make ${userEmail} an ${asked.role}?`,
      question:
        asked.role === 'admin'
          ? 'An admin manages users, API keys and scorecards, and may delete datasets.'
          : 'An analyst reads datasets and insights, and manages nothing.',
      confirm: `Make ${asked.role}`,
      done: `${userEmail} is ${ROLES[asked.role].toLowerCase()} now`,
    }
  if (asked.what === 'disable')
    return {
      title: `Disable ${userEmail}?`,
      question:
        'They are logged out everywhere and cannot log in until you enable them again. What they did stays in the audit log.',
      confirm: 'Disable',
      done: `${userEmail} is disabled`,
    }
  if (asked.what === 'enable')
    return {
      title: `Enable ${userEmail}?`,
      question: 'They can log in again with the password that they have.',
      confirm: 'Enable',
      done: `${userEmail} is enabled`,
    }
  return asked.user.state === 'invited'
    ? {
        title: `New link for ${userEmail}?`,
        question: 'The link that you have given them stops working.',
        confirm: 'Make a new link',
        done: 'The link is made',
      }
    : {
        title: `Reset the password of ${userEmail}?`,
        question:
          'You get a link for them to set a new password by. Theirs works until then; setting the new one ends their sessions.',
        confirm: 'Make a link',
        done: 'The link is made',
      }
}

/** Asks before a user is changed, does it, and shows why it failed. */
export function ChangeUserDialog({
  asked,
  close,
  changed,
  made,
}: {
  asked: Asked | undefined
  close: () => void
  changed: () => Promise<unknown>
  made: (link: MadeLink) => void
}) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const words = asked && wordsOf(asked)

  async function act({ user, ...change }: Asked, done: string) {
    const path = { id: String(user.id) }
    if (change.what === 'link') {
      const { data } = await api.POST('/api/users/v1/{id}/invitation', { params: { path } })
      if (data) made({ userEmail: user.userEmail, link: data })
    } else {
      const body = change.what === 'role' ? { role: change.role } : { disabled: change.what === 'disable' }
      await api.PATCH('/api/users/v1/{id}', { params: { path }, body })
      notifications.show({ color: 'teal', message: done })
    }
  }

  async function confirmed() {
    if (!asked || !words) return
    setBusy(true)
    setError(undefined)
    try {
      await act(asked, words.done)
      close()
      await changed()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }

  function leave() {
    setError(undefined)
    close()
  }

  return (
    <Modal
      opened={asked !== undefined}
      onClose={leave}
      title={words?.title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">{words?.question}</Text>
        {error !== undefined && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={leave} data-autofocus>
            Cancel
          </Button>
          <Button
            {...(asked?.what === 'disable' && { color: 'red' })}
            loading={busy}
            onClick={() => void confirmed()}
          >
            {words?.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
