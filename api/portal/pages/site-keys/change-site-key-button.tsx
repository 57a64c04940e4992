import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'
import { SiteKeyForm } from './site-key-form.tsx'
import { SITE_KEYS_QUERY, type SiteKey } from './site-key-types.ts'
import { type parseValues, valuesOf } from './site-key-values.ts'

/** Changes the settings of a site key in a dialog. */
export function ChangeSiteKeyButton({ siteKey }: { siteKey: SiteKey }) {
  const [opened, { open, close }] = useDisclosure(false)
  const client = useQueryClient()

  async function change({ level, ...body }: ReturnType<typeof parseValues>) {
    const path = { id: String(siteKey.id) }
    await api.PATCH('/api/site-keys/v1/{id}', { params: { path }, body })
    await client.invalidateQueries({ queryKey: SITE_KEYS_QUERY })
    close()
  }

  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={`Change ${siteKey.label}`}>
        Change
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={`Change ${siteKey.label}`}
        size="lg"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SiteKeyForm initial={valuesOf(siteKey)} action="Save" submit={change} onCancel={close} />
      </Modal>
    </>
  )
}
