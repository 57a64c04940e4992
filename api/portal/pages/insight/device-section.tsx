import { Code, Group, Text } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FactList } from './fact-list.tsx'
import type { Dataset, DeviceInfo } from './insight-types.ts'
import { PLATFORM_NAMES } from './platforms.ts'
import { Section } from './section.tsx'

/** The device that the dataset was captured on; a web capture has a device id at most. */
export function DeviceSection({ dataset, info }: { dataset: Dataset; info: DeviceInfo | undefined }) {
  const { platform } = dataset
  const deviceId = info?.deviceID ?? dataset.deviceId
  const system = platform ? PLATFORM_NAMES[platform] : ''
  return (
    <Section title="Device">
      <FactList
        facts={[
          ...(info
            ? [
                { name: 'Brand', value: info.brand ?? <NotReported /> },
                { name: 'Model', value: info.model ?? <NotReported /> },
                { name: 'System', value: `${system} ${info.osVersion ?? ''}` },
              ]
            : [{ name: 'Captured on', value: system }]),
          { name: 'Device id', value: deviceId === null ? <NotReported /> : <DeviceId id={deviceId} /> },
        ]}
      />
      {platform === 'web' && (
        <Text size="xs" c="dimmed" mt="sm">
          Browsers report neither brand and model nor permissions.
        </Text>
      )}
    </Section>
  )
}

const DeviceId = ({ id }: { id: string }) => (
  <Group gap={4} wrap="nowrap">
    <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    <CopyButton value={id} what="device id" />
  </Group>
)

const NotReported = () => (
  <Text inherit c="dimmed" span>
    Not reported
  </Text>
)
