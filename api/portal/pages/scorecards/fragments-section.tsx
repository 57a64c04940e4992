import { Button, Group, Paper, Select, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { FragmentKind } from '../../../fragments/fragment-schemas.ts'
import { Code } from '../../../scorecards/scorecard-schemas.ts'
import { api, queries } from '../../client/api.ts'
import { AdminOnly } from '../../parts/admin-only.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorState } from '../../parts/error-state.tsx'

type Kind = (typeof FragmentKind.options)[number]

/** What each kind puts into an insight. */
const KINDS: Record<Kind, string> = {
  permission: 'Permissions of the app and their states',
  device_info: 'Device: brand, model, operating system',
  velocity: 'Velocity: how often the device was seen',
  velocity_windows: 'Velocity by windows of time, of device and client',
}

/** Lists the fragments of insights; admins deploy and remove them. */
export function FragmentsSection() {
  const client = useQueryClient()
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/fragments/v1')
  const refresh = () => client.invalidateQueries({ queryKey: ['get', '/api/fragments/v1'] })

  async function remove(code: string) {
    await api.DELETE('/api/fragments/v1/{code}', { params: { path: { code } } })
    await refresh()
  }

  return (
    <Paper component="section" withBorder p="md" aria-labelledby="fragments">
      <Title order={2} id="fragments">
        Fragments
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        What an insight tells beside the scores, under codes of your choice. Changes hold from the next
        datasets on.
      </Text>
      {isPending && <Skeleton height={140} />}
      {error && <ErrorState error={error} what="fragments" retry={() => void refetch()} />}
      {data && (
        <Stack>
          {data.items.length === 0 ? (
            <Text size="sm">Insights have no fragments.</Text>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
              {data.items.map(({ code, kind }) => (
                <Group component="li" key={code} justify="space-between" wrap="nowrap" gap="md">
                  <div style={{ minWidth: 0 }}>
                    <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                      {code}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {KINDS[kind]}
                    </Text>
                  </div>
                  <AdminOnly>
                    <ConfirmButton
                      size="xs"
                      title={`Remove ${code}`}
                      question={`Insights of the next datasets have no fragment under the code ${code}. Programs that read it find nothing there. Insights that were computed keep it.`}
                      confirm="Remove"
                      act={() => remove(code)}
                      aria-label={`Remove ${code}`}
                      style={{ flexShrink: 0 }}
                    >
                      Remove
                    </ConfirmButton>
                  </AdminOnly>
                </Group>
              ))}
            </Stack>
          )}
          <AdminOnly>
            <DeployForm taken={data.items.map(({ code }) => code)} onDeployed={refresh} />
          </AdminOnly>
        </Stack>
      )}
    </Paper>
  )
}

function DeployForm({ taken, onDeployed }: { taken: readonly string[]; onDeployed: () => Promise<void> }) {
  const [code, setCode] = useState('')
  const [kind, setKind] = useState<Kind | null>(null)
  const [state, setState] = useState<{ busy: boolean; fault?: string; error?: unknown }>({ busy: false })

  async function deploy(event: FormEvent) {
    event.preventDefault()
    const fault = Code.safeParse(code).error?.issues[0]?.message
    if (fault !== undefined || kind === null) return setState({ busy: false, fault: fault ?? '' })
    setState({ busy: true })
    try {
      await api.PUT('/api/fragments/v1/{code}', { params: { path: { code } }, body: { kind } })
      await onDeployed()
      setCode('')
      setKind(null)
      setState({ busy: false })
    } catch (error) {
      setState({ busy: false, error })
    }
  }

  return (
    <form onSubmit={deploy} noValidate>
      <Group align="flex-start" gap="sm">
        <TextInput
          label="Code of a fragment"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={state.fault}
          description={taken.includes(code) ? 'It replaces what has this code' : 'As programs read it'}
          style={{ flex: '1 1 12rem' }}
        />
        <Select
          label="Kind"
          description="What it tells"
          placeholder="Choose one"
          value={kind}
          onChange={setKind}
          data={FragmentKind.options.map((value) => ({ value, label: KINDS[value] }))}
          error={state.fault !== undefined && kind === null ? 'Choose one' : undefined}
          style={{ flex: '2 1 16rem' }}
        />
        <Button type="submit" variant="default" loading={state.busy} mt={{ base: 0, sm: 46 }}>
          Deploy
        </Button>
      </Group>
      {state.error !== undefined && <ErrorState error={state.error} />}
    </form>
  )
}
