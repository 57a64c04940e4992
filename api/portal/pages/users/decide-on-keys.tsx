import { List, Radio, Stack, Text } from '@mantine/core'
import type { components } from '../../client/openapi.d.ts'

/** Live keys that a user created. */
export type CreatedKeys = NonNullable<components['schemas']['ProblemDetails']['keys']>

export type KeyDecision = NonNullable<components['schemas']['UserChange']['keys']>

/** Shown keys; further ones are counted. */
const MAX_SHOWN = 10

/** Asks what becomes of the live keys that a user created. */
export function DecideOnKeys({
  keys,
  decision,
  onDecide,
}: {
  keys: CreatedKeys
  decision: KeyDecision
  onDecide: (decision: KeyDecision) => void
}) {
  return (
    <Stack>
      <Text size="sm">They created keys that still work:</Text>
      <List size="sm">
        {keys.slice(0, MAX_SHOWN).map(({ kind, id, label }) => (
          <List.Item key={`${kind} ${id}`}>
            {label ?? `Key ${id}`} ({kind === 'api_key' ? 'API key' : 'site key'})
          </List.Item>
        ))}
        {keys.length > MAX_SHOWN && <List.Item>{keys.length - MAX_SHOWN} more</List.Item>}
      </List>
      <Radio.Group
        label="What happens to these keys?"
        value={decision}
        onChange={(value) => onDecide(value === 'keep' ? 'keep' : 'revoke')}
      >
        <Stack gap="xs" mt={6}>
          <Radio
            value="revoke"
            label="Revoke them"
            description="Clients that use them get 401 within 5 seconds"
          />
          <Radio value="keep" label="Keep them" description="Choose this if only systems have these keys" />
        </Stack>
      </Radio.Group>
    </Stack>
  )
}
