import { Alert, Paper, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { queries } from '../../client/api.ts'
import { useFeatures } from '../../client/use-features.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText, pluralText } from '../../parts/formats.ts'
import { StoreBadges } from '../../parts/store-badges.tsx'
import { CharacteristicTable } from './characteristic-table.tsx'
import type { Summary } from './scorecard-types.ts'

/** A definition: general facts, characteristics with bins, scaling and probability. */
export function DefinitionView({ version }: { version: string }) {
  const { data, error, isPending, refetch } = queries.useQuery(
    'get',
    '/api/scorecards/v1/{version}/summary',
    {
      params: { path: { version } },
    },
  )
  const features = useFeatures()
  if (isPending) return <Skeleton height={480} />
  if (error) return <ErrorState error={error} what="the definition" retry={() => void refetch()} />
  const { models, exclusions, inputs, demonstration } = data
  return (
    <Stack gap="md">
      {demonstration && (
        <Alert color="gray" variant="light" icon={<IconInfoCircle aria-hidden />} title="Demonstration">
          It shows how scorecards work. Do not use it for decisions.
        </Alert>
      )}
      <Facts {...data} />
      {models.map((model, at) => (
        <Paper
          key={model.segment ?? at}
          withBorder
          p="md"
          component="section"
          aria-label={model.segment ?? 'Model'}
        >
          <Title order={2}>{model.segment ?? 'Model'}</Title>
          <Text size="sm" c="dimmed" mb="sm">
            {model.when !== null && `Scores datasets where ${model.when}. `}
            {model.size}
            {model.basePoints !== null && `, added to ${model.basePoints} base points`}
          </Text>
          {model.characteristics.length > 0 && (
            <CharacteristicTable characteristics={model.characteristics} reasonPoints={data.reasonPoints} />
          )}
        </Paper>
      ))}
      {exclusions.length > 0 && (
        <Section title="Exclusions">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Condition</Table.Th>
                <Table.Th>Reason returned</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {exclusions.map(({ when, reason }) => (
                <Table.Tr key={`${when} ${reason}`}>
                  <Table.Td>{when}</Table.Td>
                  <Table.Td>{reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Section>
      )}
      <Section title={pluralText(inputs.length, 'input')}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Input</Table.Th>
              <Table.Th>Feature</Table.Th>
              <Table.Th>Type</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {inputs.map(({ name, feature, type, required }) => (
              <Table.Tr key={name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {feature ?? '–'}
                  <StoreBadges marks={features.get(feature ?? '')?.stores} />
                </Table.Td>
                <Table.Td>
                  {type}
                  {required && ', required'}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Section>
    </Stack>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Facts({ description, bad, source, scaling, probability, output, verificationRows }: Summary) {
  const facts: [string, ReactNode][] = [
    ['Definition of bad', bad],
    ['Built with', source.note === null ? source.tool : `${source.tool}: ${source.note}`],
    [
      'Scaling',
      scaling
        ? `${scaling.baseScore} at odds ${scaling.odds} of ${scaling.baseOdds}; ${scaling.pdo} points double the odds of ${scaling.direction === 'higherIsBetter' ? 'good:bad' : 'bad:good'}`
        : 'None',
    ],
    ['Probability of bad', probability === null ? 'Not returned' : `From ${probability}`],
    [
      'Score range',
      output.min === null && output.max === null
        ? 'Unlimited'
        : `${output.min ?? '−∞'} to ${output.max ?? '∞'}`,
    ],
    ['Verification rows', countText(verificationRows)],
  ]
  return (
    <Paper withBorder p="md">
      {description !== '' && (
        <Text size="sm" mb="md">
          {description}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" component="dl" m={0}>
        {facts.map(([term, fact]) => (
          <div key={term}>
            <Text component="dt" size="xs" c="dimmed">
              {term}
            </Text>
            <Text component="dd" size="sm" m={0}>
              {fact}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  )
}
