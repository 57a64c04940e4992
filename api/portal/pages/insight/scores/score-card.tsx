import { Alert, Badge, Code, Group, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconCircleOff } from '@tabler/icons-react'
import { percentText } from '../../../parts/formats.ts'
import type { ExplainedScore } from '../insight-types.ts'
import { Section } from '../section.tsx'
import { PointsSection } from './points-section.tsx'
import { ReasonList } from './reason-list.tsx'
import styles from './score-card.module.css'
import { ScoreDistribution } from './score-distribution.tsx'

/** Enough of a SHA-256 to tell versions apart. */
const VERSION_DIGITS = 10

/** A score with its probability of default, distribution, negative factors and points. */
export function ScoreCard({ score }: { score: ExplainedScore }) {
  const { code, value, probability, scorecard } = score
  return (
    <Section
      title={scorecard.name ?? code}
      aside={
        <Group gap="xs">
          {scorecard.demonstration && (
            <Tooltip
              label="Its points were set manually, not derived from data. Do not use it for decisions."
              multiline
            >
              <Badge variant="light" color="yellow" tt="none" tabIndex={0}>
                Demonstration only
              </Badge>
            </Tooltip>
          )}
          {scorecard.segment !== null && (
            <Badge variant="default" tt="none">
              Segment {scorecard.segment}
            </Badge>
          )}
          <Text size="xs" c="dimmed">
            <Code>{code}</Code> version{' '}
            <Tooltip label={scorecard.version}>
              <Code tabIndex={0}>{scorecard.version.slice(0, VERSION_DIGITS)}</Code>
            </Tooltip>
          </Text>
        </Group>
      }
    >
      {value === null ? (
        <NoScore score={score} />
      ) : (
        <div className={styles.card}>
          <Stack gap="xs">
            <div>
              <Text size="sm" c="dimmed">
                Score
              </Text>
              <div className={styles.value}>{value}</div>
              {scorecard.direction !== null && (
                <Text size="sm" c="dimmed">
                  {scorecard.direction === 'higherIsBetter' ? 'Higher is better' : 'Higher is worse'}
                </Text>
              )}
            </div>
            {probability !== null && (
              <div>
                <Text size="sm" c="dimmed" mt="xs">
                  Probability of default
                </Text>
                <div className={styles.probability}>{percentText(probability)}</div>
                {scorecard.bad !== null && (
                  <Text size="sm" c="dimmed">
                    {scorecard.bad}
                  </Text>
                )}
              </div>
            )}
          </Stack>
          <ScoreDistribution score={score} value={value} />
          <Stack gap="sm">
            <Title order={3} size="h4">
              Top negative factors
            </Title>
            <ReasonList score={score} />
          </Stack>
          <PointsSection score={score} />
        </div>
      )}
    </Section>
  )
}

function NoScore({ score: { noScore } }: { score: ExplainedScore }) {
  return (
    <Alert variant="light" color="gray" icon={<IconCircleOff aria-hidden />} title="No score">
      {noScore ?? 'The scorecard gives no reason.'}
    </Alert>
  )
}
