import { Button } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useSession } from '../../client/session.tsx'

/** Signs in by a passkey alone: the browser offers those that it has for this service. */
export function PasskeyButton({ onFailed }: { onFailed: (problem: unknown) => void }) {
  const { signIn } = useSession()
  const [busy, setBusy] = useState(false)

  async function attempt() {
    setBusy(true)
    try {
      const { data } = await api.POST('/api/account/v1/login/passkey')
      if (!data) return
      const { answerByPasskey } = await import('../../parts/call-passkeys.ts')
      const passkey = await answerByPasskey(data.options)
      await signIn({ challenge: data.challenge, passkey })
    } catch (problem) {
      const isUnknown = problem instanceof ApiProblem && problem.title === 'invalid_credentials'
      onFailed(isUnknown ? unknownPasskey() : problem)
      setBusy(false)
    }
  }

  return (
    <Button variant="default" fullWidth loading={busy} onClick={attempt}>
      Use a passkey
    </Button>
  )
}

const unknownPasskey = () =>
  new ApiProblem({
    status: 0,
    title: 'passkey_failed',
    detail: 'The service does not know this passkey. It may have been removed from your account.',
  })
