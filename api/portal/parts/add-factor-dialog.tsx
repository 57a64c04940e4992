import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { components } from '../client/openapi.d.ts'
import { AddPasskey } from './add-passkey.tsx'
import { AddTotp } from './add-totp.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Kind = components['schemas']['Factor']['kind']

/** Adds a factor, and with the first one shows the recovery codes until they are confirmed. */
export function AddFactorDialog({
  kind,
  close,
  onAdded,
}: {
  /** Kind of the new factor; undefined closes the dialog. */
  kind: Kind | undefined
  close: () => void
  /** Called once the dialog is done with a new factor. */
  onAdded: () => void
}) {
  const [codes, setCodes] = useState<readonly string[]>()

  function done() {
    setCodes(undefined)
    close()
    onAdded()
  }

  const added = ({ recoveryCodes }: { recoveryCodes: string[] | null }) =>
    recoveryCodes === null ? done() : setCodes(recoveryCodes)

  return (
    <Modal
      opened={kind !== undefined}
      onClose={codes ? done : close}
      title={codes ? 'Your recovery codes' : kind === 'totp' ? 'Add authenticator app' : 'Add passkey'}
      centered
      // prevents losing the secret or the codes by accident
      closeOnClickOutside={false}
      closeOnEscape={!codes}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {codes ? (
        <RecoveryCodes codes={codes} done={done} />
      ) : kind === 'totp' ? (
        <AddTotp onAdded={added} cancel={close} />
      ) : (
        <AddPasskey onAdded={added} cancel={close} />
      )}
    </Modal>
  )
}
