import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { ErrorState } from '../../parts/error-state.tsx'
import { pluralText } from '../../parts/formats.ts'
import { saveFile } from '../../parts/save-file.ts'
import type { DatasetFilters } from './dataset-query.ts'
import { downloadCsv, type ExportedFile, type ExportProgress } from './download-csv.ts'

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'running'; readonly progress: ExportProgress }
  | { readonly kind: 'done'; readonly exported: ExportedFile }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Saves the datasets of the search as a CSV file, with progress and a cancel button. */
export function ExportButton({ search }: { search: DatasetFilters }) {
  const [state, setState] = useState<State>({ kind: 'closed' })
  const running = useRef<AbortController>(undefined)

  async function start(cursor?: string) {
    const controller = new AbortController()
    running.current = controller
    setState({ kind: 'running', progress: { datasets: 0, share: 0 } })
    try {
      const exported = await downloadCsv(search, {
        ...{ cursor, signal: controller.signal },
        onProgress: (progress) => !controller.signal.aborted && setState({ kind: 'running', progress }),
      })
      saveFile(exported)
      setState({ kind: 'done', exported })
    } catch (error) {
      if (!controller.signal.aborted) setState({ kind: 'failed', error })
    }
  }
  const close = () => {
    running.current?.abort()
    setState({ kind: 'closed' })
  }

  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => void start()}
      >
        Export CSV
      </Button>
      <Modal
        opened={state.kind !== 'closed'}
        onClose={close}
        title="Export as CSV"
        centered
        closeOnClickOutside={state.kind !== 'running'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          {state.kind === 'running' && (
            <>
              <Text size="sm">{pluralText(state.progress.datasets, 'dataset')} so far</Text>
              <Progress value={state.progress.share * 100} animated aria-label="Export progress" />
            </>
          )}
          {state.kind === 'done' && (
            <Text size="sm" role="status">
              {state.exported.name} has {pluralText(state.exported.datasets, 'dataset')}.
              {state.exported.next !== undefined &&
                ' This is the maximum of one file. Save next file as well, or narrow the filters.'}
            </Text>
          )}
          {state.kind === 'failed' && (
            <ErrorState error={state.error} what="the export" retry={() => void start()} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {state.kind === 'running' ? 'Cancel' : 'Close'}
            </Button>
            {state.kind === 'done' && state.exported.next !== undefined && (
              <Button onClick={() => void start(state.exported.next)}>Save next file</Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
