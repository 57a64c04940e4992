import { Button, Code, CopyButton, Group, Paper, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import styles from './command-block.module.css'

/** A shell command with a copy button; long lines scroll. */
export function CommandBlock({ title, command }: { title: string; command: string }) {
  return (
    <Paper withBorder className={styles.block ?? ''}>
      <Group justify="space-between" px="sm" py={6} wrap="nowrap">
        <Text size="xs" fw={600} c="dimmed">
          {title}
        </Text>
        <CopyButton value={command} timeout={2_000}>
          {({ copied, copy }) => (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={copy}
              aria-label={copied ? 'Copied' : `Copy: ${title}`}
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block className={styles.code ?? ''} tabIndex={0} role="region" aria-label={`Command: ${title}`}>
        {command}
      </Code>
    </Paper>
  )
}
