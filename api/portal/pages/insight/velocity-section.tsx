import { Table, Text } from '@mantine/core'
import { countText } from '../../parts/formats.ts'
import type { Dataset } from './insight-types.ts'
import { Section } from './section.tsx'

const WINDOWS = [
  ['10m', '10 minutes'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const

/** Counts of device and client when the dataset was processed, and now. */
export function VelocitySection({
  velocity: { device, client },
  now,
}: {
  velocity: NonNullable<Dataset['velocity']>
  now: Dataset['velocityNow']
}) {
  return (
    <Section title="Velocity" description="Counts when this dataset was processed (including it) and now.">
      {device === null && (
        <Text size="sm" mb={4}>
          No device counts: the capture has no device ID.
        </Text>
      )}
      {client === null && (
        <Text size="sm" mb={4}>
          No client counts: the Additional Info has no clientId.
        </Text>
      )}
      {(device ?? client) !== null && (
        <>
          <Table verticalSpacing={6} aria-label="Counts when processed and now">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Count</Table.Th>
                <Table.Th ta="right">When processed</Table.Th>
                <Table.Th ta="right">Now</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {device && (
                <>
                  <CountRow
                    name="Datasets from this device"
                    then={device.datasets}
                    now={now.device?.datasets}
                  />
                  <CountRow name="Clients on this device" then={device.clients} now={now.device?.clients} />
                </>
              )}
              {client && (
                <>
                  <CountRow
                    name="Datasets from this client"
                    then={client.datasets}
                    now={now.client?.datasets}
                  />
                  <CountRow name="Devices of this client" then={client.devices} now={now.client?.devices} />
                </>
              )}
            </Table.Tbody>
          </Table>
          <Table mt="md" verticalSpacing={6} aria-label="Datasets before this one">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Datasets in the last</Table.Th>
                {device && <Table.Th ta="right">Device</Table.Th>}
                {client && <Table.Th ta="right">Client</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {WINDOWS.map(([window, name]) => (
                <Table.Tr key={window}>
                  <Table.Th scope="row" fw={400}>
                    {name}
                  </Table.Th>
                  {device && <Table.Td ta="right">{countText(device.windows[window])}</Table.Td>}
                  {client && <Table.Td ta="right">{countText(client.windows[window])}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </Section>
  )
}

/** Counts that have grown since are bold. */
function CountRow(props: { name: string; then: number | null; now: number | undefined }) {
  const { then, now } = props
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {props.name}
      </Table.Th>
      <Table.Td ta="right">{then === null ? '–' : countText(then)}</Table.Td>
      <Table.Td ta="right" fw={now !== undefined && now > (then ?? 0) ? 700 : 400}>
        {now === undefined ? '–' : countText(now)}
      </Table.Td>
    </Table.Tr>
  )
}
