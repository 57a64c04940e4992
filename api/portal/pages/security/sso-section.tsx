import { Badge, Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { api, queries } from '../../client/api.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { SsoForm } from './sso-form.tsx'
import type { SsoState } from './sso-values.ts'

/** Single sign-on of the subscription: addresses for the provider, domains and settings. */
export function SsoSection() {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/sso/v1')
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="sso-title">
      <Title order={2} id="sso-title" mb={4}>
        Single sign-on
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Users sign in to your organisation's OpenID provider instead of with a password of this service.
      </Text>
      {error !== null ? (
        <ErrorState error={error} what="single sign-on" retry={() => void refetch()} />
      ) : isPending ? (
        <Skeleton h={120} />
      ) : (
        <SsoSettings state={data} onChanged={() => void refetch()} />
      )}
    </Paper>
  )
}

function SsoSettings({ state, onChanged }: { state: SsoState; onChanged: () => void }) {
  const { connection } = state
  const [isEditing, setEditing] = useState(connection !== null)
  return (
    <Stack gap="lg">
      <Addresses state={state} />
      {connection && <Domains domains={connection.domains} />}
      {isEditing ? (
        <SsoForm connection={connection} onSaved={onChanged} />
      ) : (
        <Group>
          <Button onClick={() => setEditing(true)}>Set up single sign-on</Button>
        </Group>
      )}
      {connection && (
        <Group>
          <ConfirmButton
            title="Remove single sign-on?"
            question="Users without a password then need a link to set one, which you create under Users."
            confirm="Remove single sign-on"
            act={async () => {
              await api.DELETE('/api/sso/v1')
              setEditing(false)
              onChanged()
            }}
          >
            Remove single sign-on
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}

/** Addresses that the provider, or the users, need. */
function Addresses({
  state: { connection, redirectUri, signOutRedirectUri, signInUrl },
}: {
  state: SsoState
}) {
  return (
    <Stack gap="sm" maw={560}>
      <Address label="Redirect URI" description="Register it at the provider." value={redirectUri} />
      <Address
        label="Sign-out redirect URI"
        description="Register it at the provider, too."
        value={signOutRedirectUri}
      />
      {connection && <Address label="Sign-in link" description="For your users." value={signInUrl} />}
    </Stack>
  )
}

const Address = ({ label, description, value }: { label: string; description: string; value: string }) => (
  <TextInput
    label={label}
    description={description}
    value={value}
    readOnly
    onFocus={({ target }) => target.select()}
    rightSection={<CopyButton value={value} what={label} />}
  />
)

const Domains = ({ domains }: Pick<NonNullable<SsoState['connection']>, 'domains'>) => (
  <Stack gap={6} maw={560}>
    <Group gap="xs">
      {domains.map(({ domain, confirmed }) => (
        <Badge key={domain} variant="light" color={confirmed ? 'teal' : 'gray'} tt="none">
          {domain}: {confirmed ? 'confirmed' : 'not confirmed'}
        </Badge>
      ))}
    </Group>
    {domains.some(({ confirmed }) => !confirmed) && (
      <Text size="sm" c="dimmed">
        E-mails of a domain lead to your provider once the operator of this service has confirmed the domain.
        The sign-in link works without.
      </Text>
    )}
  </Stack>
)
