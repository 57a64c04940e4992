import { Button, Group, NumberInput, Radio, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { PLATFORM_LABELS } from '../../parts/labels.ts'
import { OUTCOME_TEXTS } from './outcome-texts.ts'

type Request = components['schemas']['MadeCaptures']
type Outcome = NonNullable<Request['outcome']>

const isOutcome = (value: string): value is Outcome => value in OUTCOME_TEXTS
const isPlatform = (value: string | null): value is Request['platform'] =>
  value !== null && value in PLATFORM_LABELS

/** The form that generates captures. */
export function MakeForm({ onMade }: { onMade: (referenceNumbers: readonly string[]) => void }) {
  const [platform, setPlatform] = useState<Request['platform']>('android')
  const [outcome, setOutcome] = useState<Outcome>('ready')
  const [count, setCount] = useState(1)
  const { mutate, error, isPending } = queries.useMutation('post', '/api/test/v1/captures', {
    onSuccess: ({ referenceNumbers }) => onMade(referenceNumbers),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate({ body: { platform, outcome, count } })
      }}
    >
      <Stack gap="lg">
        <Radio.Group
          label="Outcome"
          value={outcome}
          onChange={(value) => {
            if (!isOutcome(value)) return
            setOutcome(value)
            setCount(value === 'ring' ? 5 : 1)
          }}
        >
          <Stack gap="sm" mt={6}>
            {Object.entries(OUTCOME_TEXTS).map(([value, { label, text }]) => (
              <Radio key={value} value={value} label={label} description={text} />
            ))}
          </Stack>
        </Radio.Group>
        <Group align="flex-start" grow>
          <Select
            label="Platform"
            data={Object.entries(PLATFORM_LABELS).map(([value, label]) => ({ value, label }))}
            value={platform}
            onChange={(value) => isPlatform(value) && setPlatform(value)}
            allowDeselect={false}
          />
          <NumberInput
            label="Count"
            min={1}
            max={100}
            clampBehavior="strict"
            allowDecimal={false}
            value={count}
            onChange={(value) => setCount(Number(value) || 1)}
          />
        </Group>
        {error && <ErrorState error={error} />}
        <Group>
          <Button type="submit" loading={isPending}>
            Make captures
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
