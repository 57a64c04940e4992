import { Alert, Code, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { describeErrorCode } from '../../parts/error-codes.ts'
import { STATUS_COLORS } from '../../parts/labels.ts'
import type { Dataset } from './insight-types.ts'

/** Why the dataset has no insight, and how to fix it. */
export function InvalidPanel({ invalid, dataKept }: Pick<Dataset, 'invalid' | 'dataKept'>) {
  const { cause, fix } = describeErrorCode(invalid?.code ?? '')
  return (
    <Alert
      variant="default"
      color={STATUS_COLORS.invalid}
      icon={<IconAlertTriangle aria-hidden />}
      title="No insight: the data could not be decoded"
    >
      <Stack gap="sm" maw="48rem">
        <Text size="sm">{cause}</Text>
        <div>
          <Text size="sm" fw={600}>
            How to fix it
          </Text>
          <Text size="sm">{fix}</Text>
          {dataKept && (
            <Text size="sm" mt={4}>
              The data is stored and can be reprocessed once the issue is fixed.
            </Text>
          )}
        </div>
        {invalid && (
          <Text size="sm">
            For developers of your backend or SDK: <Code>{invalid.code}</Code> {invalid.detail}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
