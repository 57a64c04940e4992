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

/** Description of each kind. */
const KINDS: Record<Kind, string> = {
  permission: 'Permissions of the app: granted or not',
  device_info: 'Device: brand, model, operating system',
  velocity: 'Velocity: counts of the device',
  velocity_windows: 'Velocity by time window: counts of device and client',
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
        Parts of an insight besides the scores, under codes of your choice. Changes apply to new datasets
        only.
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
                      title={`Remove ${code}?`}
                      question={`Insights of new datasets will have no fragment "${code}". Existing insights keep it.`}
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
  const [state, setState] = useState<{ busy: boolean; message?: string; error?: unknown }>({ busy: false })

  async function deploy(event: FormEvent) {
    event.preventDefault()
    const message = Code.safeParse(code).error?.issues[0]?.message
    if (message !== undefined || kind === null) return setState({ busy: false, message: message ?? '' })
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
          label="Fragment code"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={state.message}
          description={
            taken.includes(code) ? 'Replaces the fragment with this code' : 'Name of the fragment in insights'
          }
          style={{ flex: '1 1 12rem' }}
        />
        <Select
          label="Kind"
          description="Content of the fragment"
          placeholder="Choose a kind"
          value={kind}
          onChange={setKind}
          data={FragmentKind.options.map((value) => ({ value, label: KINDS[value] }))}
          error={state.message !== undefined && kind === null ? 'Choose a kind' : undefined}
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
