import { notifications } from '@mantine/notifications'
import { api } from '../../client/api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { type CreatedLink, ROLES, type UserChange } from './user-types.ts'

interface Texts {
  readonly title: string
  readonly question: string
  readonly confirm: string
  /** What is told when it is done. */
  readonly done: string
}

function textsOf(asked: UserChange): Texts {
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
  asked: UserChange | undefined
  close: () => void
  changed: () => Promise<unknown>
  made: (link: CreatedLink) => void
}) {
  const words = asked && textsOf(asked)

  async function act() {
    if (!asked) return
    const { user, ...change } = asked
    const path = { id: String(user.id) }
    if (change.what === 'link') {
      const { data } = await api.POST('/api/users/v1/{id}/invitation', { params: { path } })
      if (data) made({ userEmail: user.userEmail, link: data })
    } else {
      const body = change.what === 'role' ? { role: change.role } : { disabled: change.what === 'disable' }
      await api.PATCH('/api/users/v1/{id}', { params: { path }, body })
      notifications.show({ color: 'teal', message: textsOf(asked).done })
    }
    void changed()
  }

  return (
    <ConfirmDialog
      opened={asked !== undefined}
      close={close}
      title={words?.title ?? ''}
      question={words?.question}
      confirm={words?.confirm ?? ''}
      color={asked?.what === 'disable' ? 'red.9' : 'ink'}
      act={act}
    />
  )
}
