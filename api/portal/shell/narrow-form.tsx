import { Button, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'

/** The form of a page before sign-in: its fields and one button of the same width. */
export function NarrowForm({
  children,
  action,
  onSubmit,
  busy,
  disabled = false,
}: {
  children: ReactNode
  /** Label of the button. */
  action: string
  onSubmit: FormEventHandler<HTMLFormElement>
  busy: boolean
  disabled?: boolean
}) {
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {children}
        <Button type="submit" loading={busy} disabled={disabled} fullWidth>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
