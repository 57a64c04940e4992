import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useState } from 'react'
import { NewUser } from '../../../users/user-schemas.ts'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useDraft } from '../../client/use-draft.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { InviteDraft } from './invite-draft.ts'
import type { CreatedLink } from './user-types.ts'

export function InviteDialog({
  opened,
  close,
  onInvited,
}: {
  opened: boolean
  close: () => void
  onInvited: (link: CreatedLink) => void
}) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Invite user"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <InviteForm close={close} onInvited={onInvited} />
    </Modal>
  )
}

function InviteForm({ close, onInvited }: { close: () => void; onInvited: (link: CreatedLink) => void }) {
  const [error, setError] = useState<unknown>()
  const draft = useDraft('invite', InviteDraft)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: draft.initial ?? { userEmail: '', role: 'analyst' as 'analyst' | 'admin' },
    onValuesChange: draft.save,
    validate: schemaResolver(NewUser, { sync: true }),
  })

  async function invite(body: { userEmail: string; role: 'analyst' | 'admin' }) {
    setError(undefined)
    try {
      const { data } = await api.POST('/api/users/v1', { body })
      if (data) onInvited({ userEmail: body.userEmail, link: data })
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.title === 'conflict')
        form.setErrors({ userEmail: problem.message })
      else setError(problem)
    }
  }

  return (
    <form onSubmit={form.onSubmit(invite)} noValidate>
      <Stack>
        {error !== undefined && <ErrorState error={error} />}
        <TextInput
          label="E-mail"
          type="email"
          required
          data-autofocus
          autoComplete="off"
          key={form.key('userEmail')}
          {...form.getInputProps('userEmail')}
        />
        <Radio.Group label="Role" key={form.key('role')} {...form.getInputProps('role')}>
          <Stack gap="xs" mt={6}>
            <Radio value="analyst" label="Analyst" description="Reads datasets and insights" />
            <Radio value="admin" label="Admin" description="Also manages users, API keys and scorecards" />
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
