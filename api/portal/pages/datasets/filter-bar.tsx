import { Button, Collapse, Group, Pill, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { optionsOf, STATUS_LABELS } from '../../parts/labels.ts'
import { FilterPanel } from './filter-panel.tsx'
import { describeFilters, type useFilters } from './filters.ts'
import { SearchBox } from './search-box.tsx'

/** Search, status, a panel with the other filters, and the active filters, each with a remove button. */
export function FilterBar({
  filters,
  change,
  codes,
}: Pick<ReturnType<typeof useFilters>, 'filters' | 'change'> & { codes: readonly string[] }) {
  const [opened, { toggle, close }] = useDisclosure(false)
  const described = describeFilters(filters)
  const inPanel = described.filter(({ names }) => !names.includes('status')).length

  return (
    <Stack gap="sm" mb="md">
      <Group gap="sm">
        <SearchBox
          // saved URLs of earlier versions have a reference number
          value={filters.search ?? filters.referenceNumber ?? ''}
          change={(search) => change({ search, referenceNumber: undefined }, { replace: true })}
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          w={150}
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          data={optionsOf(STATUS_LABELS)}
          value={filters.status ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
        />
        <Button
          variant={inPanel > 0 ? 'light' : 'default'}
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          onClick={toggle}
          aria-expanded={opened}
        >
          {inPanel > 0 ? `Filters (${inPanel})` : 'Filters'}
        </Button>
      </Group>
      <Collapse expanded={opened}>
        {opened && (
          <FilterPanel
            key={JSON.stringify(filters)}
            filters={filters}
            codes={codes}
            apply={(values) => {
              change(values)
              close()
            }}
          />
        )}
      </Collapse>
      {described.length > 0 && (
        <Group gap="xs" role="group" aria-label="Active filters">
          {described.map(({ text, names }) => (
            <Pill
              key={text}
              size="md"
              withRemoveButton
              onRemove={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
              removeButtonProps={{ 'aria-label': `Remove: ${text}`, 'aria-hidden': false, tabIndex: 0 }}
            >
              {text}
            </Pill>
          ))}
          {described.length > 1 && (
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() =>
                change(
                  Object.fromEntries(
                    described.flatMap(({ names }) => names).map((name) => [name, undefined]),
                  ),
                )
              }
            >
              Clear all
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
