import { Table, Text } from '@mantine/core'
import { countText, ordinalText, pluralText } from '../../parts/formats.ts'
import type { Dataset } from './insight-types.ts'
import { Section } from './section.tsx'

const WINDOWS = [
  ['10m', '10 minutes'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const

/** How often device and client had been seen when the dataset was processed. */
export function VelocitySection({ velocity }: { velocity: NonNullable<Dataset['velocity']> }) {
  const { device, client } = velocity
  return (
    <Section title="Velocity" description="As counted when this dataset was processed, itself included.">
      <Text size="sm" mb={4}>
        {device === null ? (
          'The capture names no device, so nothing is counted of it.'
        ) : (
          <>
            {device.datasets === 1 ? 'The ' : 'Device used before: the '}
            <b>{ordinalText(device.datasets)} dataset</b> of this device
            {device.clients !== null && `, which ${pluralText(device.clients, 'client')} used`}.
          </>
        )}
      </Text>
      <Text size="sm">
        {client === null ? (
          'No clientId in the Additional Info, so nothing is counted of the client.'
        ) : (
          <>
            The <b>{ordinalText(client.datasets)} dataset</b> of this client, on{' '}
            {pluralText(client.devices, 'device')}.
          </>
        )}
      </Text>
      {(device ?? client) !== null && (
        <Table mt="md" verticalSpacing={6} aria-label="Datasets in the time before">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>In the last</Table.Th>
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
      )}
    </Section>
  )
}
