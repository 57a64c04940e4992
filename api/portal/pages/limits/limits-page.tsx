import { Code, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { bytesText, countText } from '../../parts/formats.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { KeyTabs } from '../keys/key-tabs.tsx'
import { KEY_USE_COLUMNS } from './key-use-columns.tsx'
import { rateText } from './rate-text.ts'
import { UseMeter } from './use-meter.tsx'

const REFRESH_MS = 10_000

/** Limits and current use of the subscription and its keys. */
export function LimitsPage() {
  const { data, error, refetch } = queries.useQuery(
    'get',
    '/api/limits/v1',
    {},
    { refetchInterval: REFRESH_MS },
  )
  return (
    <>
      <KeyTabs />
      <PageHeader
        title="Limits"
        description="What your subscription and its API keys may use, and what they have used. The operator of this service sets limits. Updates automatically."
      />
      <Stack gap="xl">
        {error !== null && <ErrorState error={error} what="the limits" retry={() => void refetch()} />}
        {data ? <Use use={data} /> : error === null && <Skeleton h={160} aria-busy="true" />}
      </Stack>
    </>
  )
}

function Use({ use }: { use: components['schemas']['LimitsAndUse'] }) {
  const { requests, datasets, bytes } = use.subscription
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <UseMeter label="Datasets today" used={datasets.today} limit={datasets.perDay} text={countText}>
          Repeated uploads count once. The day ends <TimeText at={use.resetsAt} since />, at midnight UTC.
        </UseMeter>
        <UseMeter label="Stored captures" used={bytes.stored} limit={bytes.limit} text={bytesText}>
          {bytes.measuredAt === null ? (
            'Uploads so far; a worker measures earlier ones soon.'
          ) : (
            <>
              Measured <TimeText at={bytes.measuredAt} since />; later uploads are added, later deletions are
              not.
            </>
          )}
        </UseMeter>
        <UseMeter label="Requests today" used={requests.today} text={countText}>
          Of all API keys. Limit of requests a second: {rateText(requests)}.
        </UseMeter>
      </SimpleGrid>
      <section aria-labelledby="keys-title">
        <Title order={2} id="keys-title" mb="md">
          API keys
        </Title>
        {use.keys.length > 0 ? (
          <RecordTable
            label="Use of API keys"
            columns={KEY_USE_COLUMNS}
            rows={use.keys}
            rowId={({ id }) => String(id)}
          />
        ) : (
          <Text size="sm" c="dimmed">
            There are no active keys.
          </Text>
        )}
      </section>
      <Text size="xs" c="dimmed">
        Beyond a limit, requests get 429 <Code>rate_limited</Code> with the time to retry; nothing that was
        accepted is lost. Numbers are up to 5 seconds old.
      </Text>
    </>
  )
}
