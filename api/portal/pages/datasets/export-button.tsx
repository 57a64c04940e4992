import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import type { DatasetFilters } from './dataset-query.ts'
import { downloadCsv, type ExportedFile, type ExportProgress, saveFile } from './download-csv.ts'

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'running'; readonly progress: ExportProgress }
  | { readonly kind: 'done'; readonly exported: ExportedFile }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Saves the datasets of the search as a CSV file; says how far it is, and can be cancelled. */
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
        tell: (progress) => !controller.signal.aborted && setState({ kind: 'running', progress }),
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
              <Text size="sm">{countText(state.progress.datasets)} datasets so far</Text>
              <Progress value={state.progress.share * 100} animated aria-label="Progress of the export" />
            </>
          )}
          {state.kind === 'done' && (
            <Text size="sm" role="status">
              {state.exported.name} has {countText(state.exported.datasets)}{' '}
              {state.exported.datasets === 1 ? 'dataset' : 'datasets'}.
              {state.exported.next !== undefined &&
                ' A file has no more than that, and more match: save the next file too, or set narrower filters.'}
            </Text>
          )}
          {state.kind === 'failed' && <ErrorState error={state.error} retry={() => void start()} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {state.kind === 'running' ? 'Cancel' : 'Close'}
            </Button>
            {state.kind === 'done' && state.exported.next !== undefined && (
              <Button onClick={() => void start(state.exported.next)}>Save the next file</Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
