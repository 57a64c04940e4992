import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiProblem } from '../client/api-problem.ts'
import { ErrorState } from './error-state.tsx'
import { PROOF_LABELS } from './labels.ts'

/** A way to prove who one is: at a step-up, or after the password at a sign-in. */
export type Proof = keyof typeof PROOF_LABELS

/** Ways without anything to type: what happens, and the button. */
const UNTYPED = {
  passkey: { text: 'Your browser asks for a passkey of this account.', action: 'Use passkey' },
  sso: { text: 'A window opens in which you sign in to your organisation again.', action: 'Open window' },
} as const

/** Inputs of the ways that are typed. */
const INPUTS = {
  totp: { autoComplete: 'one-time-code', inputMode: 'numeric', maxLength: 6 },
  recovery_code: { autoComplete: 'off', spellCheck: false },
} as const

/** Asks for one of the given proofs, the first one unless the user chooses another. */
export function ProofForm({
  ways,
  action,
  prove,
  cancel,
}: {
  ways: readonly Proof[]
  /** Label of the button. */
  action: string
  /** @param text what the user typed; empty for a passkey and for single sign-on. */
  prove: (way: Proof, text: string) => Promise<unknown>
  cancel: () => void
}) {
  const [way, setWay] = useState<Proof>(ways[0] ?? 'password')
  const [text, setText] = useState('')
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const { error } = state
  const untyped = way === 'passkey' || way === 'sso' ? UNTYPED[way] : undefined
  const invalid = error instanceof ApiProblem ? Object.values(error.errors).flat().join('; ') : ''

  async function submit(event: FormEvent) {
    event.preventDefault()
    setState({ busy: true })
    try {
      await prove(way, text)
      setState({ busy: false })
    } catch (problem) {
      setText('')
      setState({ busy: false, error: problem })
    }
  }

  const input = {
    label: PROOF_LABELS[way],
    value: text,
    error: invalid || undefined,
    required: true,
    'data-autofocus': true,
    autoFocus: true,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => setText(currentTarget.value),
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {error !== undefined && invalid === '' && <ErrorState error={error} />}
        {untyped ? (
          <Text size="sm">{untyped.text}</Text>
        ) : way === 'password' ? (
          <PasswordInput key={way} {...input} autoComplete="current-password" />
        ) : (
          <TextInput key={way} {...input} {...(way in INPUTS && INPUTS[way as keyof typeof INPUTS])} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={state.busy} disabled={!untyped && text === ''}>
            {untyped?.action ?? action}
          </Button>
        </Group>
        {ways.length > 1 && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              Instead:
            </Text>
            {ways
              .filter((other) => other !== way)
              .map((other) => (
                <Button
                  key={other}
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => {
                    setWay(other)
                    setText('')
                    setState({ busy: false })
                  }}
                >
                  {PROOF_LABELS[other]}
                </Button>
              ))}
          </Group>
        )}
      </Stack>
    </form>
  )
}
