import { Button, Group } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import type { components } from '../client/openapi.d.ts'
import { hasPasskeys } from '../client/passkeys.ts'
import { AddFactorDialog } from './add-factor-dialog.tsx'

/** Buttons that add a factor of each kind. */
export function AddFactorButtons({
  passkeysAvailable,
  onAdded,
}: {
  passkeysAvailable: boolean
  onAdded: () => void
}) {
  const [kind, setKind] = useState<components['schemas']['Factor']['kind']>()
  return (
    <Group gap="xs">
      {passkeysAvailable && hasPasskeys() && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={16} aria-hidden />}
          onClick={() => setKind('passkey')}
        >
          Add passkey
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconDeviceMobile size={16} aria-hidden />}
        onClick={() => setKind('totp')}
      >
        Add authenticator app
      </Button>
      <AddFactorDialog kind={kind} close={() => setKind(undefined)} onAdded={onAdded} />
    </Group>
  )
}
