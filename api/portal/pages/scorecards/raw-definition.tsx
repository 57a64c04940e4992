import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { queries } from '../../client/api.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import { shortVersion } from './scorecard-types.ts'

/** Longer texts slow down the browser. */
const SHOWN_CHARACTERS = 200_000

/** The definition as stored, to copy or download. Uploading it again gives the same version. */
export function RawDefinition({ version, name }: { version: string; name: string }) {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/scorecards/v1/{version}', {
    params: { path: { version } },
  })
  if (isPending) return <Skeleton height={320} />
  if (error) return <ErrorState error={error} what="the definition" retry={() => void refetch()} />
  const text = JSON.stringify(data, null, 2)
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {countText(text.length)} characters
        </Text>
        <Group gap="xs">
          <CopyButton value={text} what="definition" />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => download(text, `${name}-${shortVersion(version)}.json`)}
          >
            Download
          </Button>
        </Group>
      </Group>
      <Code block tabIndex={0} style={{ maxHeight: '70vh', overflow: 'auto' }}>
        {text.length > SHOWN_CHARACTERS
          ? `${text.slice(0, SHOWN_CHARACTERS)}\n… truncated; download the full text`
          : text}
      </Code>
    </Stack>
  )
}

function download(text: string, file: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  URL.revokeObjectURL(url)
}
