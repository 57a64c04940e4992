import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { useDraft } from '../../client/use-draft.ts'
import { SiteKeyForm } from './site-key-form.tsx'
import { SITE_KEYS_QUERY, type SiteKey } from './site-key-types.ts'
import { NEW_VALUES, type parseValues, SiteKeyValues } from './site-key-values.ts'

/** Creates a site key. */
export function CreateSiteKeyDialog({
  opened,
  close,
  onCreated,
}: {
  opened: boolean
  close: () => void
  onCreated?: (created: SiteKey) => void
}) {
  const draft = useDraft('site-key', SiteKeyValues)
  const done = () => {
    draft.remove()
    close()
  }
  return (
    <Modal
      opened={opened}
      onClose={done}
      title="Create site key"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <CreateForm
        onCancel={done}
        onCreated={(created) => {
          onCreated?.(created)
          done()
        }}
      />
    </Modal>
  )
}

function CreateForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: SiteKey) => void
  onCancel: () => void
}) {
  const draft = useDraft('site-key', SiteKeyValues)
  const client = useQueryClient()

  async function create(body: ReturnType<typeof parseValues>) {
    const { data } = await api.POST('/api/site-keys/v1', { body })
    await client.invalidateQueries({ queryKey: SITE_KEYS_QUERY })
    if (data) onCreated(data)
  }

  return (
    <SiteKeyForm
      initial={draft.initial ?? NEW_VALUES}
      onChange={draft.save}
      withLevel
      action="Create key"
      submit={create}
      onCancel={onCancel}
    />
  )
}
