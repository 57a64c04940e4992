import { Alert, Code, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { countText } from '../../parts/formats.ts'
import type { TrialResult } from './scorecard-types.ts'

/** Whether the engine computes here what the tool computed that the scorecard is from. */
export function VerificationResult({ rows, matched, mismatches }: TrialResult['verification']) {
  if (rows === 0)
    return (
      <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Not verified">
        The definition has no verification rows, so nothing proves that it computes here what it computed
        where it was built. Give some at the import with <Code>--rows</Code>. It can be promoted all the same.
      </Alert>
    )
  if (matched === rows)
    return (
      <Alert
        color="teal"
        variant="light"
        icon={<IconCircleCheck aria-hidden />}
        title={rows === 1 ? 'The verification row matches' : `All ${countText(rows)} verification rows match`}
      >
        The scorecard computes here what it computed where it was built.
      </Alert>
    )
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${rows - matched} of ${rows} verification rows come out otherwise`}
    >
      <Text size="sm" mb="xs">
        It cannot be promoted like this. Compare the rows with the definition, and upload it mended.
      </Text>
      <List size="sm" spacing="xs" listStyleType="none" withPadding={false}>
        {mismatches.map(({ row, detail, inputs }) => (
          <List.Item key={row} styles={{ itemWrapper: { display: 'block' } }}>
            <b>Row {row}:</b> {detail}
            <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {JSON.stringify(inputs)}
            </Code>
          </List.Item>
        ))}
      </List>
      {rows - matched > mismatches.length && (
        <Text size="sm" mt="xs">
          and {countText(rows - matched - mismatches.length)} more
        </Text>
      )}
    </Alert>
  )
}
