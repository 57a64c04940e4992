import { Anchor, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { describeErrorCode } from '../../parts/error-codes.ts'
import { countText } from '../../parts/formats.ts'
import { listAddress } from '../datasets/list-location.ts'
import classes from './pipeline.module.css'
import { ReprocessButton } from './reprocess-button.tsx'
import type { Pipeline } from './use-pipeline.ts'

/** Shows the number of invalid datasets by error code, with buttons to reprocess them. */
export function InvalidDatasets({ pipeline }: { pipeline: Pipeline }) {
  const { invalidByReason, quarantine } = pipeline
  const recent = new Map(invalidByReason.map(({ reason, datasets }) => [reason, datasets]))
  const stored = new Map(quarantine.reasons.map(({ reason, datasets }) => [reason, datasets]))
  const reasons = [...new Set([...stored.keys(), ...recent.keys()])]
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="invalid-reasons">
      <Stack>
        <Group justify="space-between" align="flex-start">
          <Stack gap={2} style={{ flex: '1 1 16rem' }}>
            <Title order={2} id="invalid-reasons">
              Invalid datasets by error code
            </Title>
            <Text size="sm" c="dimmed" maw="44rem">
              Datasets that could not be decoded stay stored and can be reprocessed once the issue is fixed.{' '}
              {quarantine.datasets > 0 && (
                <Anchor component={Link} to={listAddress({ status: 'invalid' })} inherit underline="always">
                  Show invalid datasets
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
          <Text size="sm">None. All uploaded datasets were decoded.</Text>
        ) : (
          <ul className={classes.reasons}>
            {reasons.map((reason) => (
              <ErrorCode
                key={reason}
                reason={reason}
                recent={recent.get(reason) ?? 0}
                now={stored.get(reason) ?? 0}
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
  recent,
  now,
  pipeline: { window, quarantine },
}: {
  reason: string
  recent: number
  now: number
  pipeline: Pipeline
}) {
  const { cause, fix } = describeErrorCode(reason)
  const stored = countText(now, quarantine.atLeast)
  return (
    <li aria-label={reason}>
      <Group justify="space-between" gap="sm">
        <Stack gap={2} style={{ flex: '1 1 18rem' }}>
          <Text size="sm">
            {cause} <Code>{reason}</Code>{' '}
            <Anchor
              component={Link}
              to={listAddress({ status: 'invalid', invalidCode: reason })}
              inherit
              underline="always"
              aria-label={`Show datasets with ${reason}`}
            >
              Show datasets
            </Anchor>
          </Text>
          <Text size="xs" c="dimmed" maw="44rem">
            {fix}
          </Text>
        </Stack>
        <Group gap="lg">
          <Text size="sm" className="tabular">
            <b>{countText(recent)}</b> in the last {window}
          </Text>
          <Text size="sm" className="tabular">
            <b>{stored}</b> now
          </Text>
          {now > 0 && (
            <AdminOnly>
              <ReprocessButton reason={reason} datasets={stored} />
            </AdminOnly>
          )}
        </Group>
      </Group>
    </li>
  )
}
