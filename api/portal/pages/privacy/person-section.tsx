import { Button, Group, Paper, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { optionsOf, PERSON_KIND_LABELS } from '../../parts/labels.ts'
import { PersonResult } from './person-result.tsx'
import { bodyOf, type NamedPerson, type PersonSummary } from './privacy-types.ts'

/** Searches a person by one identifier, and shows what is stored of them. The identifier is never in the page's address. */
export function PersonSection({ onRequested }: { onRequested: () => void }) {
  const [found, setFound] = useState<{ person: NamedPerson; summary: PersonSummary }>()
  const [error, setError] = useState<unknown>()
  const form = useForm<NamedPerson>({
    initialValues: { kind: 'client', id: '' },
    validate: { id: (id) => (id === '' ? 'Enter an identifier' : null) },
  })

  async function search(person: NamedPerson) {
    setError(undefined)
    try {
      const { data } = await api.POST('/api/privacy/v1/persons', { body: bodyOf(person) })
      if (data) setFound({ person, summary: data })
    } catch (problem) {
      setFound(undefined)
      setError(problem)
    }
  }

  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="person-title">
      <Title order={2} id="person-title" mb={4}>
        Find a person
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw="44rem">
        A person may be known by a client id and by the ids of their devices: search for each. The audit log
        records the search by a keyed hash of the identifier.
      </Text>
      <form onSubmit={form.onSubmit(search)}>
        <Stack gap="md" maw={560}>
          <Radio.Group label="Identifier" {...form.getInputProps('kind')}>
            <Group mt="xs">
              {optionsOf(PERSON_KIND_LABELS).map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Group>
          </Radio.Group>
          <Group align="flex-start" gap="sm">
            <TextInput
              aria-label="Client id or device id"
              placeholder="Exactly as it was sent"
              autoComplete="off"
              maxLength={1_000}
              style={{ flex: '1 1 14rem' }}
              {...form.getInputProps('id')}
            />
            <Button
              type="submit"
              loading={form.submitting}
              leftSection={<IconSearch size={16} aria-hidden />}
            >
              Search
            </Button>
          </Group>
        </Stack>
      </form>
      {error !== undefined && <ErrorState error={error} what="the person" />}
      {found && (
        <PersonResult
          {...found}
          onRequested={() => {
            onRequested()
            void search(found.person)
          }}
        />
      )}
    </Paper>
  )
}
