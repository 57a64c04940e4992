import { Code, Group, Text } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FactList } from '../../parts/fact-list.tsx'
import { PLATFORM_LABELS } from '../../parts/labels.ts'
import type { Dataset, DeviceInfo } from './insight-types.ts'
import { Section } from './section.tsx'

/** The device of the capture; web captures have a device ID at most. */
export function DeviceSection({ dataset, info }: { dataset: Dataset; info: DeviceInfo | undefined }) {
  const { platform } = dataset
  const deviceId = info?.deviceID ?? dataset.deviceId
  const system = platform ? PLATFORM_LABELS[platform] : ''
  return (
    <Section title="Device">
      <FactList
        facts={[
          ...(info
            ? [
                { name: 'Brand', value: info.brand ?? <NotReported /> },
                { name: 'Model', value: info.model ?? <NotReported /> },
                { name: 'Operating system', value: `${system} ${info.osVersion ?? ''}` },
              ]
            : [{ name: 'Platform', value: system }]),
          { name: 'Device ID', value: deviceId === null ? <NotReported /> : <DeviceId id={deviceId} /> },
        ]}
      />
      {platform === 'web' && (
        <Text size="xs" c="dimmed" mt="sm">
          Browsers do not report brand, model or permissions.
        </Text>
      )}
    </Section>
  )
}

const DeviceId = ({ id }: { id: string }) => (
  <Group gap={4} wrap="nowrap">
    <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    <CopyButton value={id} what="device ID" />
  </Group>
)

const NotReported = () => (
  <Text inherit c="dimmed" span>
    Not reported
  </Text>
)
