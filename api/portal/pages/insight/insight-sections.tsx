import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CollectionSection } from './collection-section.tsx'
import { DeviceSection } from './device-section.tsx'
import type { Dataset, Explanation } from './insight-types.ts'
import { PermissionSection } from './permissions/permission-section.tsx'
import { readFragments } from './read-fragments.ts'
import { ScoreCard } from './scores/score-card.tsx'
import { Section } from './section.tsx'
import { VelocitySection } from './velocity-section.tsx'

/** The results of a dataset. */
export function InsightSections({
  dataset,
  explanation,
  related,
}: {
  dataset: Dataset
  explanation: Explanation
  /** Shown after device and velocity. */
  related: ReactNode
}) {
  const { scores, insight } = explanation
  const { device, permissions } = readFragments(insight?.fragments ?? [])
  return (
    <Stack gap="lg">
      {scores.map((score) => (
        <ScoreCard key={score.code} score={score} />
      ))}
      {scores.length === 0 && (
        <Section title="No scores">
          <Text size="sm" c="dimmed">
            No scorecard for this platform was deployed when the dataset was processed. Admins can deploy one
            under Scorecards.
          </Text>
        </Section>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <DeviceSection dataset={dataset} info={device} />
        {dataset.collection && <CollectionSection collection={dataset.collection} />}
        {dataset.velocity && <VelocitySection velocity={dataset.velocity} now={dataset.velocityNow} />}
      </SimpleGrid>
      {related}
      {permissions.map(({ code, items }) => (
        <PermissionSection
          key={code}
          title={permissions.length > 1 ? `Permissions (${code})` : 'Permissions'}
          items={items}
        />
      ))}
    </Stack>
  )
}
