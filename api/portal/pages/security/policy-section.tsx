import { Button, Group, Paper, Radio, Stack, Switch, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'
import { useSession } from '../../client/session.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { FACTORS_REQUIRED_LABELS, optionsOf } from '../../parts/labels.ts'

type Policy = components['schemas']['Policy']

/** The policy, in a form that changes it. */
export function PolicySection({ policy, onChanged }: { policy: Policy; onChanged: () => void }) {
  const { retry } = useSession()
  const [error, setError] = useState<unknown>()
  const form = useForm<Policy>({ initialValues: policy })

  async function change(body: Policy) {
    setError(undefined)
    try {
      await api.PATCH('/api/policy/v1', { body })
      form.resetDirty()
      notifications.show({ color: 'teal', message: 'Policy changed' })
      onChanged()
      retry() // it may apply to this user, too
    } catch (problem) {
      setError(problem)
    }
  }

  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="policy-title">
      <Title order={2} id="policy-title" mb="md">
        Policy
      </Title>
      <form onSubmit={form.onSubmit(change)}>
        <Stack gap="lg" maw={560}>
          <Radio.Group
            label="Who needs a second factor"
            description="Until they add one, these users see no other page and cannot make changes. Programs that sign in with a password go on to read."
            {...form.getInputProps('factorsRequired')}
          >
            <Group mt="xs">
              {optionsOf(FACTORS_REQUIRED_LABELS).map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Group>
          </Radio.Group>
          <Switch
            label="Four eyes for scorecards"
            description="Whoever saved a scorecard version cannot promote it: another admin has to."
            {...form.getInputProps('fourEyes', { type: 'checkbox' })}
          />
          {error !== undefined && <ErrorState error={error} />}
          <Group>
            <Button type="submit" loading={form.submitting} disabled={!form.isDirty()}>
              Save policy
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
