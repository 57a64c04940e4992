import { Modal } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { onStepUpRequired, type StepUpWay } from '../client/step-up.ts'

const StepUpForm = lazy(async () => ({ default: (await import('./step-up-form.tsx')).StepUpForm }))

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
        <Suspense>
          <StepUpForm ways={asked.ways} onFinished={finish} />
        </Suspense>
      )}
    </Modal>
  )
}
