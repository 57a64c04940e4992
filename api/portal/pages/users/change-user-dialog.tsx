import { notifications } from '@mantine/notifications'
import { api } from '../../client/api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import type { CreatedLink, UserChange } from './user-types.ts'

interface Texts {
  readonly title: string
  readonly question: string
  readonly confirm: string
  /** Notification after the change. */
  readonly done: string
}

function textsOf(change: UserChange): Texts {
  const { userEmail } = change.user
  if (change.kind === 'role')
    return {
      title: `Make ${userEmail} an ${change.role}?`,
      question:
        change.role === 'admin'
          ? 'Admins manage users, API keys and scorecards, and can delete datasets.'
          : 'Analysts read datasets and insights, and cannot change anything.',
      confirm: `Make ${change.role}`,
      done: `${userEmail} is now an ${change.role}`,
    }
  if (change.kind === 'disable')
    return {
      title: `Disable ${userEmail}?`,
      question:
        'They are signed out everywhere and cannot sign in until you enable them again. Their actions stay in the audit log.',
      confirm: 'Disable',
      done: `${userEmail} is disabled`,
    }
  if (change.kind === 'enable')
    return {
      title: `Enable ${userEmail}?`,
      question: 'They can sign in again with their current password.',
      confirm: 'Enable',
      done: `${userEmail} is enabled`,
    }
  return change.user.state === 'invited'
    ? {
        title: `New link for ${userEmail}?`,
        question: 'The previous link stops working.',
        confirm: 'Create link',
        done: 'Link created',
      }
    : {
        title: `Reset the password of ${userEmail}?`,
        question:
          'You get a one-time link to share with them. Their current password works until they set a new one, which ends all their sessions.',
        confirm: 'Create link',
        done: 'Link created',
      }
}

/** Asks for confirmation before a user is changed. */
export function ChangeUserDialog({
  change,
  close,
  onChanged,
  onLinkCreated,
}: {
  change: UserChange | undefined
  close: () => void
  onChanged: () => Promise<unknown>
  onLinkCreated: (link: CreatedLink) => void
}) {
  const texts = change && textsOf(change)

  async function act() {
    if (!change) return
    const { user } = change
    const path = { id: String(user.id) }
    if (change.kind === 'link') {
      const { data } = await api.POST('/api/users/v1/{id}/invitation', { params: { path } })
      if (data) onLinkCreated({ userEmail: user.userEmail, link: data })
    } else {
      const body = change.kind === 'role' ? { role: change.role } : { disabled: change.kind === 'disable' }
      await api.PATCH('/api/users/v1/{id}', { params: { path }, body })
      notifications.show({ color: 'teal', message: textsOf(change).done })
    }
    void onChanged()
  }

  return (
    <ConfirmDialog
      opened={change !== undefined}
      close={close}
      title={texts?.title ?? ''}
      question={texts?.question}
      confirm={texts?.confirm ?? ''}
      color={change?.kind === 'disable' ? 'red.9' : 'ink'}
      act={act}
    />
  )
}
