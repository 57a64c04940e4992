import { Text } from '@mantine/core'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { SsoOutcome } from '../../parts/sso-outcome.tsx'
import { NarrowPage } from '../../shell/narrow-page.tsx'
import { STEP_UP_CHANNEL } from '../../shell/prove-by-sso.ts'

/** Ends a step-up in its own window: tells the page that waits for it, and closes itself where the browser allows it. */
export function ConfirmedPage() {
  const [params] = useSearchParams()
  const outcome = params.get('sso') ?? ''
  useEffect(() => {
    const channel = new BroadcastChannel(STEP_UP_CHANNEL)
    channel.postMessage(outcome)
    channel.close()
    if (outcome === '') window.close()
  }, [outcome])
  return (
    <NarrowPage title={outcome === '' ? 'Confirmed' : 'Not confirmed'}>
      {outcome !== '' && <SsoOutcome outcome={outcome} />}
      <Text size="sm">You can close this window, and go on in the one before.</Text>
    </NarrowPage>
  )
}
