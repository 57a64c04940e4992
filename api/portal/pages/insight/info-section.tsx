import { Text } from '@mantine/core'
import { FactList } from '../../parts/fact-list.tsx'
import type { Dataset } from './insight-types.ts'
import { Section } from './section.tsx'

/** The Additional Info of the dataset. */
export function InfoSection({ info }: { info: Dataset['additionalInfo'] }) {
  const entries = Object.entries(info).map(([name, value]) => ({ name, value }))
  return (
    <Section title="Additional Info">
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          None
        </Text>
      ) : (
        <FactList facts={entries} />
      )}
    </Section>
  )
}
