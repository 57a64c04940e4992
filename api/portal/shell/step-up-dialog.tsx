import { Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api } from '../client/api.ts'
import { answerByPasskey, hasPasskeys } from '../client/passkeys.ts'
import { proveBySso } from '../client/prove-by-sso.ts'
import { onStepUpRequired, type StepUpWay } from '../client/step-up.ts'
import { type Proof, ProofForm } from '../parts/proof-form.tsx'

/** Above the dialog whose request it interrupts. */
const Z_INDEX = 400

interface Asked {
  readonly ways: readonly StepUpWay[]
  readonly answer: (isProved: boolean) => void
}

/** Asks users to prove who they are when the service requires it; the request that was rejected is then repeated. */
export function StepUpDialog() {
  const [asked, setAsked] = useState<Asked>()

  useEffect(() => onStepUpRequired((ways) => new Promise((answer) => setAsked({ ways, answer }))), [])

  function finish(isProved: boolean) {
    asked?.answer(isProved)
    setAsked(undefined)
  }

  return (
    <Modal
      opened={asked !== undefined}
      onClose={() => finish(false)}
      title="Confirm that it's you"
      centered
      zIndex={Z_INDEX}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {asked && (
        <Stack>
          <Text size="sm">
            You signed in more than 10 minutes ago. Confirm it once more to continue; nothing you entered is
            lost.
          </Text>
          <ProofForm
            ways={asked.ways.filter((way) => way !== 'passkey' || hasPasskeys())}
            action="Confirm"
            cancel={() => finish(false)}
            prove={async (way, text) => {
              await prove(way, text)
              finish(true)
            }}
          />
        </Stack>
      )}
    </Modal>
  )
}

async function prove(way: Proof, text: string): Promise<void> {
  if (way === 'sso') return proveBySso()
  if (way !== 'passkey')
    return void (await api.POST('/api/account/v1/step-up', { body: { [way]: text.trim() } }))
  const { data } = await api.POST('/api/account/v1/step-up/passkey')
  if (!data) return
  const passkey = await answerByPasskey(data.options)
  await api.POST('/api/account/v1/step-up', { body: { challenge: data.challenge, passkey } })
}
