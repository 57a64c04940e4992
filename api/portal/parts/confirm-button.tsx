import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ComponentProps, ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** A button that asks for confirmation before its action, and shows errors in the dialog. */
export function ConfirmButton({
  children,
  title,
  question,
  confirm,
  act,
  color = 'red.9', // lighter reds lack contrast with white text
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
