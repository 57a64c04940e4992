import { Alert, Code, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { describeErrorCode } from '../../parts/error-codes.ts'
import { STATE_COLORS } from '../../shell/theme.ts'
import type { Dataset } from './insight-types.ts'

/** Why there is no insight, and what to do. */
export function InvalidPanel({ invalid, dataKept }: Pick<Dataset, 'invalid' | 'dataKept'>) {
  const { why, todo } = describeErrorCode(invalid?.code ?? '')
  return (
    <Alert
      variant="default"
      color={STATE_COLORS.invalid}
      icon={<IconAlertTriangle aria-hidden />}
      title="This dataset has no insight: its data could not be read"
    >
      <Stack gap="sm" maw="48rem">
        <Text size="sm">{why}</Text>
        <div>
          <Text size="sm" fw={600}>
            What to do
          </Text>
          <Text size="sm">{todo}</Text>
          {dataKept && (
            <Text size="sm" mt={4}>
              The data is kept and can be reprocessed once the issue is fixed.
            </Text>
          )}
        </div>
        {invalid && (
          <Text size="sm">
            For the developers of your backend or SDK: <Code>{invalid.code}</Code> {invalid.detail}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
