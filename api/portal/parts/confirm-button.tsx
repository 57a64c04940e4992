import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ComponentProps, ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** A button that asks before it does what cannot be undone; shows in the dialog why it failed. */
export function ConfirmButton({
  children,
  title,
  question,
  confirm,
  act,
  color = 'red.9', // paler ones do not carry white text
  ...button
}: ButtonProps & { children: ReactNode; color?: string } & Omit<
    ComponentProps<typeof ConfirmDialog>,
    'opened' | 'close' | 'color'
  >) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {children}
      </Button>
      <ConfirmDialog {...{ opened, close, title, question, confirm, act, color }} />
    </>
  )
}
