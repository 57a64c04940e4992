import { Stack, Text } from '@mantine/core'
import { api } from '../client/api.ts'
import { hasPasskeys } from '../client/passkeys.ts'
import type { StepUpWay } from '../client/step-up.ts'
import { type Proof, ProofForm } from '../parts/proof-form.tsx'
import { proveBySso } from './prove-by-sso.ts'

/** Asks who the user is, by one of the ways; loaded when it is needed. */
export function StepUpForm({
  ways,
  onFinished,
}: {
  ways: readonly StepUpWay[]
  onFinished: (isProved: boolean) => void
}) {
  return (
    <Stack>
      <Text size="sm">
        You signed in more than 10 minutes ago. Confirm it once more to continue; nothing you entered is lost.
      </Text>
      <ProofForm
        ways={ways.filter((way) => way !== 'passkey' || hasPasskeys())}
        action="Confirm"
        cancel={() => onFinished(false)}
        prove={async (way, text) => {
          await prove(way, text)
          onFinished(true)
        }}
      />
    </Stack>
  )
}

async function prove(way: Proof, text: string): Promise<void> {
  if (way === 'sso') return proveBySso()
  if (way !== 'passkey')
    return void (await api.POST('/api/account/v1/step-up', { body: { [way]: text.trim() } }))
  const { data } = await api.POST('/api/account/v1/step-up/passkey')
  if (!data) return
  const { answerByPasskey } = await import('../parts/call-passkeys.ts')
  const passkey = await answerByPasskey(data.options)
  await api.POST('/api/account/v1/step-up', { body: { challenge: data.challenge, passkey } })
}
