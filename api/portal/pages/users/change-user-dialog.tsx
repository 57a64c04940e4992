import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { type CreatedKeys, DecideOnKeys, type KeyDecision } from './decide-on-keys.tsx'
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
  if (change.kind === 'delete')
    return {
      title: `Delete ${userEmail}?`,
      question:
        'They are signed out everywhere, and links to set a password that they created stop working. Records keep their name. A deleted user cannot be restored.',
      confirm: 'Delete',
      done: `${userEmail} is deleted`,
    }
  if (change.kind === 'factors')
    return {
      title: `Reset the second factors of ${userEmail}?`,
      question:
        'For users who lost them. They are signed out everywhere, and sign in with their password alone until they add a factor again.',
      confirm: 'Reset factors',
      done: `${userEmail} has no second factor any more`,
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
  const [keys, setKeys] = useState<CreatedKeys>([])
  const [decision, setDecision] = useState<KeyDecision>('revoke')

  async function act() {
    if (!change) return
    const { user } = change
    const path = { id: String(user.id) }
    if (change.kind === 'link') {
      const { data } = await api.POST('/api/users/v1/{id}/invitation', { params: { path } })
      if (data) onLinkCreated({ userEmail: user.userEmail, link: data })
    } else {
      const decided = keys.length > 0 && { keys: decision }
      try {
        if (change.kind === 'delete')
          await api.DELETE('/api/users/v1/{id}', { params: { path, query: { ...decided } } })
        else if (change.kind === 'factors')
          await api.DELETE('/api/users/v1/{id}/factors', { params: { path } })
        else {
          const body =
            change.kind === 'role' ? { role: change.role } : { disabled: change.kind === 'disable' }
          await api.PATCH('/api/users/v1/{id}', { params: { path }, body: { ...body, ...decided } })
        }
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.keys.length > 0)) throw problem
        setKeys(problem.keys)
        return 'ask-again'
      }
      notifications.show({ color: 'teal', message: textsOf(change).done })
    }
    return onChanged()
  }

  return (
    <ConfirmDialog
      opened={change !== undefined}
      close={() => {
        setKeys([])
        close()
      }}
      title={texts?.title ?? ''}
      question={
        keys.length > 0 ? (
          <DecideOnKeys keys={keys} decision={decision} onDecide={setDecision} />
        ) : (
          texts?.question
        )
      }
      confirm={texts?.confirm ?? ''}
      color={change?.kind === 'disable' || change?.kind === 'delete' ? 'red.9' : 'ink'}
      act={act}
    />
  )
}
