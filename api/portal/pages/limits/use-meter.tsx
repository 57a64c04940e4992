import { Group, Paper, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { percentText } from '../../parts/formats.ts'

/** Shares of a limit from which it is shown as nearly reached, and as reached. */
const NEAR = 0.8
const REACHED = 1

const colorOf = (share: number) => (share >= REACHED ? 'red' : share >= NEAR ? 'orange' : 'teal')

/** A bar of the use against its limit; its label names it for screen readers. */
export function UseBar({ label, used, limit }: { label: string; used: number; limit: number }) {
  const share = used / limit
  return (
    <Progress.Root size="lg" radius="sm">
      <Progress.Section
        value={Math.min(100, share * 100)}
        color={colorOf(share)}
        aria-label={label}
        aria-valuetext={percentText(share, 0)}
      />
    </Progress.Root>
  )
}

/** A limit as a tile: what is used, a bar of it, and its meaning. */
export function UseMeter({
  label,
  used,
  limit,
  text,
  children,
}: {
  label: string
  used: number
  /** null: none; absent where there cannot be one. */
  limit?: number | null
  /** Formats both numbers. */
  text: (value: number) => string
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Group gap={6} align="baseline">
          <Text fz={28} fw={650} lh={1.2} className="tabular">
            {text(used)}
          </Text>
          {limit !== undefined && (
            <Text size="sm" c="dimmed">
              {limit === null ? 'no limit' : `of ${text(limit)} · ${percentText(used / limit, 0)}`}
            </Text>
          )}
        </Group>
        {limit != null && <UseBar label={`${label}, used`} used={used} limit={limit} />}
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      </Stack>
    </Paper>
  )
}
