import { Group, Stack, Text } from '@mantine/core'
import { FactList } from '../../parts/fact-list.tsx'
import { countText, pluralText } from '../../parts/formats.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { ErasePerson } from './erase-person.tsx'
import { ExportPerson } from './export-person.tsx'
import type { NamedPerson, PersonSummary } from './privacy-types.ts'

/** What is stored of a person, as counts, with the ways to export and erase it. */
export function PersonResult({
  person,
  summary,
  onRequested,
}: {
  person: NamedPerson
  summary: PersonSummary
  onRequested: () => void
}) {
  const { datasets, truncated, collections, velocity } = summary
  const isEmpty = datasets === 0 && collections === 0 && velocity === null
  const other = person.kind === 'client' ? 'device' : 'client'
  return (
    <Stack gap="md" mt="lg" role="status" aria-label="What is stored">
      {isEmpty ? (
        <Text size="sm">Nothing is stored under this identifier.</Text>
      ) : (
        <>
          <FactList
            facts={[
              { name: 'Datasets', value: countText(datasets, truncated) },
              { name: 'With capture', value: countText(summary.captures, truncated) },
              { name: 'With insight', value: countText(summary.insights, truncated) },
              { name: 'To be processed', value: countText(summary.waiting) },
              { name: 'Reads of insights', value: countText(summary.reads) },
              { name: 'Unfinished captures', value: countText(collections) },
              {
                name: 'Velocity',
                value:
                  velocity === null
                    ? 'Not counted'
                    : `${pluralText(velocity.datasets, 'dataset')}, ${pluralText(velocity.others, other)}`,
              },
              { name: 'First upload', value: timeOf(summary.firstUploadAt) },
              { name: 'Last upload', value: timeOf(summary.lastUploadAt) },
            ]}
          />
          <Group gap="sm">
            <ExportPerson person={person} onExported={onRequested} />
            <ErasePerson person={person} datasets={datasets} truncated={truncated} onErased={onRequested} />
          </Group>
        </>
      )}
      {summary.requests.length > 0 && (
        <Text size="sm" c="dimmed">
          {pluralText(summary.requests.length, 'earlier request')} about this person; the newest in the list
          below.
        </Text>
      )}
    </Stack>
  )
}

const timeOf = (at: string | null) => (at === null ? 'None' : <TimeText at={at} />)
