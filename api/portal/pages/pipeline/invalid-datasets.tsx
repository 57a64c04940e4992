import { Anchor, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { describeErrorCode } from '../../parts/error-codes.ts'
import { countText } from '../../parts/formats.ts'
import classes from './pipeline.module.css'
import { ReprocessButton } from './reprocess-button.tsx'
import type { Pipeline } from './use-pipeline.ts'

/** Why data could not be read, how often, and a way to have it read again. */
export function InvalidDatasets({ pipeline }: { pipeline: Pipeline }) {
  const { invalidByReason, quarantine } = pipeline
  const lately = new Map(invalidByReason.map(({ reason, datasets }) => [reason, datasets]))
  const kept = new Map(quarantine.reasons.map(({ reason, datasets }) => [reason, datasets]))
  const reasons = [...new Set([...kept.keys(), ...lately.keys()])]
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="invalid-reasons">
      <Stack>
        <Group justify="space-between" align="flex-start">
          <Stack gap={2} style={{ flex: '1 1 16rem' }}>
            <Title order={2} id="invalid-reasons">
              Invalid by reason
            </Title>
            <Text size="sm" c="dimmed" maw="44rem">
              Datasets whose data cannot be read are kept, and can be reprocessed once the issue is fixed.{' '}
              {quarantine.datasets > 0 && (
                <Anchor component={Link} to="/datasets?status=invalid" inherit underline="always">
                  Show them
                </Anchor>
              )}
            </Text>
          </Stack>
          {reasons.length > 1 && quarantine.datasets > 0 && (
            <AdminOnly>
              <ReprocessButton datasets={countText(quarantine.datasets, quarantine.atLeast)} />
            </AdminOnly>
          )}
        </Group>
        {reasons.length === 0 ? (
          <Text size="sm">None: all that was uploaded could be read.</Text>
        ) : (
          <ul className={classes.reasons}>
            {reasons.map((reason) => (
              <ErrorCode
                key={reason}
                reason={reason}
                lately={lately.get(reason) ?? 0}
                now={kept.get(reason) ?? 0}
                pipeline={pipeline}
              />
            ))}
          </ul>
        )}
      </Stack>
    </Paper>
  )
}

function ErrorCode({
  reason,
  lately,
  now,
  pipeline: { window, quarantine },
}: {
  reason: string
  lately: number
  now: number
  pipeline: Pipeline
}) {
  const { why, todo } = describeErrorCode(reason)
  const present = countText(now, quarantine.atLeast)
  return (
    <li aria-label={reason}>
      <Group justify="space-between" gap="sm">
        <Stack gap={2} style={{ flex: '1 1 18rem' }}>
          <Text size="sm">
            {why} <Code>{reason}</Code>{' '}
            <Anchor
              component={Link}
              to={`/datasets?status=invalid&invalidCode=${encodeURIComponent(reason)}`}
              inherit
              underline="always"
              aria-label={`Show datasets with ${reason}`}
            >
              Show datasets
            </Anchor>
          </Text>
          <Text size="xs" c="dimmed" maw="44rem">
            {todo}
          </Text>
        </Stack>
        <Group gap="lg">
          <Text size="sm" className="tabular">
            <b>{countText(lately)}</b> in the last {window}
          </Text>
          <Text size="sm" className="tabular">
            <b>{present}</b> now
          </Text>
          {now > 0 && (
            <AdminOnly>
              <ReprocessButton reason={reason} datasets={present} />
            </AdminOnly>
          )}
        </Group>
      </Group>
    </li>
  )
}
