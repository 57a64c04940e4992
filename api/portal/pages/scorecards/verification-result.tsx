import { Alert, Code, List, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { countText } from '../../parts/formats.ts'
import type { TrialResult } from './scorecard-types.ts'

/** Compares the scores of the engine with those of the tool that built the scorecard. */
export function VerificationResult({ rows, matched, mismatches }: TrialResult['verification']) {
  if (rows === 0)
    return (
      <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Not verified">
        The definition has no verification rows, so its scores are not compared with those of the tool that
        built it. Add rows to the import with <Code>--rows</Code>. You can still promote it.
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
        The scorecard computes the same scores as the tool that built it.
      </Alert>
    )
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${rows - matched} of ${rows} verification rows do not match`}
    >
      <Text size="sm" mb="xs">
        It cannot be promoted. Compare the rows with the definition, fix it and upload it again.
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
          And {countText(rows - matched - mismatches.length)} more
        </Text>
      )}
    </Alert>
  )
}
