import { Table, Text } from '@mantine/core'
import { Fragment } from 'react'
import type { Summary } from './scorecard-types.ts'

/** Characteristics with their bins and points. */
export function CharacteristicTable({
  characteristics,
  reasonPoints,
}: {
  /** The side of the baseline on which a characteristic is a reason. */
  reasonPoints: Summary['reasonPoints']
  characteristics: Summary['models'][number]['characteristics']
}) {
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Characteristic</Table.Th>
            <Table.Th>Bin</Table.Th>
            <Table.Th ta="right">Points</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {characteristics.map(({ name, reason, baseline, bins }) => (
            <Fragment key={name}>
              {bins.map(({ bin, points }, at) => (
                <Table.Tr key={`${bin} ${points}`}>
                  {at === 0 && (
                    <Table.Th
                      scope="rowgroup"
                      rowSpan={bins.length}
                      style={{ verticalAlign: 'top' }}
                      fw={400}
                    >
                      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                        {name}
                      </Text>
                      {reason && (
                        <Text size="xs" c="dimmed">
                          {reason.text ?? reason.code}
                          {baseline !== null &&
                            `, if ${reasonPoints === 'belowBaseline' ? 'below' : 'above'} ${baseline}`}
                        </Text>
                      )}
                    </Table.Th>
                  )}
                  <Table.Td>{bin}</Table.Td>
                  <Table.Td ta="right">{points}</Table.Td>
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
