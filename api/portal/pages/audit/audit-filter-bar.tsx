import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { AUDIT_ACTIONS } from '../../../../db/audit/audit-actions.ts'
import { ACTOR_KIND_LABELS, OUTCOME_LABELS, optionsOf } from '../../parts/labels.ts'
import { type AuditFilters, useAuditFilters } from './audit-filters.ts'

const SUBJECT_GROUPS: Record<string, string> = {
  access: 'Access',
  data_key: 'Encryption keys',
  dataset: 'Datasets',
  factor: 'Second factors',
  fragment: 'Fragments',
  key: 'API keys',
  policy: 'Policy',
  retention: 'Retention',
  scorecard: 'Scorecards',
  session: 'Sessions',
  site_key: 'Site keys',
  subscription: 'Subscription',
  user: 'Users',
}

/** Actions grouped by subject; each group begins with an option for the whole group. */
const CHOICES = Object.entries(
  Object.groupBy(
    Object.entries(AUDIT_ACTIONS).filter(([action]) => !action.startsWith('operator.')), // of no subscription
    ([action]) => action.split('.')[0] ?? '',
  ),
).map(([subject, actions = []]) => ({
  group: SUBJECT_GROUPS[subject] ?? subject,
  items: [
    {
      value: `${subject}.`,
      label: `All actions on ${(SUBJECT_GROUPS[subject] ?? subject).replace(/^[A-Z](?=[a-z])/, lower)}`,
    },
    ...actions.map(([value, label]) => ({ value, label })),
  ],
}))

function lower(letter: string): string {
  return letter.toLowerCase()
}

const DEBOUNCE_MS = 400

/** The filters of the audit log. */
export function AuditFilterBar() {
  const { filters, any, change, clear } = useAuditFilters()
  const [actor, setActor] = useState(filters.actor)
  const search = useDebouncedCallback((text: string) => change({ actor: text.trim() }), DEBOUNCE_MS)
  useEffect(() => setActor(filters.actor), [filters.actor])
  return (
    <Group align="flex-end" gap="sm" mb="md" component="search">
      <TextInput
        label="Actor"
        placeholder="E-mail or part of it"
        value={actor}
        onChange={({ currentTarget: { value } }) => {
          setActor(value)
          search(value)
        }}
        style={{ flex: '1 1 12rem' }}
      />
      <Select
        label="Action"
        placeholder="All actions"
        data={CHOICES}
        value={filters.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear action' }}
        searchable
        nothingFoundMessage="No matching action"
        style={{ flex: '2 1 16rem' }}
      />
      <Select
        label="Done by"
        placeholder="Anybody"
        data={optionsOf(ACTOR_KIND_LABELS)}
        value={filters.actorKind || null}
        onChange={(actorKind) => change({ actorKind: (actorKind ?? '') as AuditFilters['actorKind'] })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear kind' }}
        style={{ flex: '1 1 9rem' }}
      />
      <Select
        label="Outcome"
        placeholder="All outcomes"
        data={optionsOf(OUTCOME_LABELS)}
        value={filters.outcome || null}
        onChange={(outcome) => change({ outcome: (outcome ?? '') as AuditFilters['outcome'] })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear outcome' }}
        style={{ flex: '1 1 9rem' }}
      />
      <TextInput
        label="From"
        type="date"
        value={filters.since}
        max={filters.until}
        onChange={({ currentTarget: { value } }) => change({ since: value })}
        style={{ flex: '1 1 9rem' }}
      />
      <TextInput
        label="To"
        type="date"
        value={filters.until}
        min={filters.since}
        onChange={({ currentTarget: { value } }) => change({ until: value })}
        style={{ flex: '1 1 9rem' }}
      />
      {any && (
        <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  )
}
