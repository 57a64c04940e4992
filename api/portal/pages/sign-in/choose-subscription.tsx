import { Button, Stack, Text } from '@mantine/core'

/** Shows the subscriptions to which an e-mail and password belong. */
export function ChooseSubscription({
  names,
  busy,
  onChoose,
  onBack,
}: {
  names: readonly string[]
  busy: boolean
  onChoose: (name: string) => void
  onBack: () => void
}) {
  return (
    <Stack>
      <Text size="sm">
        Your e-mail and password belong to several subscriptions. Choose one to sign in to.
      </Text>
      {names.map((name) => (
        <Button key={name} variant="default" fullWidth disabled={busy} onClick={() => onChoose(name)}>
          {name}
        </Button>
      ))}
      <Button variant="subtle" fullWidth onClick={onBack}>
        Back
      </Button>
    </Stack>
  )
}
