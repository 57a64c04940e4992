import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { fileNameOf, saveFile } from '../../parts/save-file.ts'
import { bodyOf, type NamedPerson } from './privacy-types.ts'

/** Saves everything that is stored of a person as an archive. */
export function ExportPerson({ person, onExported }: { person: NamedPerson; onExported: () => void }) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })

  async function save() {
    setState({ busy: true })
    try {
      const { data, response } = await api.POST('/api/privacy/v1/exports', {
        body: bodyOf(person),
        parseAs: 'blob',
      })
      saveFile({ name: fileNameOf(response, 'person.tar.gz'), file: data as unknown as Blob })
      setState({ busy: false })
      notifications.show({ color: 'teal', message: 'Exported. Keep the archive safe: it is not encrypted.' })
      onExported()
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={state.busy}
        onClick={() => void save()}
      >
        Export
      </Button>
      {state.error !== undefined && <ErrorState error={state.error} what="the export" />}
    </>
  )
}
