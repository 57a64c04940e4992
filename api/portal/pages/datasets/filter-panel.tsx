import { Autocomplete, Button, Group, NumberInput, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { DatasetSearchQuery } from '../../../datasets/dataset-search-schemas.ts'
import { ERROR_CODES } from '../../parts/error-codes.ts'
import { optionsOf, PLATFORM_LABELS } from '../../parts/labels.ts'
import { toDate } from '../../parts/to-date.ts'
import { type AddressFilters, PERIOD_LABELS } from './filters.ts'

const EMPTY = {
  ...{ platform: '', period: '', since: '', until: '', scoreCode: '', scoreFrom: '', scoreTo: '' },
  ...{ clientId: '', deviceId: '', invalidCode: '' },
}

type Values = typeof EMPTY

const CUSTOM = 'custom'

/** The API's rules across members, in the words of the form. */
const RULES: Readonly<Record<string, string>> = {
  scoreCode: 'Choose a scorecard first',
  scoreTo: 'Must be at least the minimum',
}

function validate(values: Values): Record<string, string> {
  const { since, until } = values
  const query = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const issues = DatasetSearchQuery.safeParse(query).error?.issues ?? []
  return {
    ...Object.fromEntries(
      issues.map(({ code, path: [name], message }) => [
        name,
        (code === 'custom' && RULES[String(name)]) || message,
      ]),
    ),
    ...(since && until && since >= until && { until: 'Must be later than From' }),
  }
}

/** The filters other than search and status; all apply together. */
export function FilterPanel({
  filters,
  codes,
  apply,
}: {
  filters: AddressFilters
  /** Known score codes, as suggestions. */
  codes: readonly string[]
  apply: (values: Values) => void
}) {
  const form = useForm<Values>({
    initialValues: {
      ...EMPTY,
      ...(filters as Partial<Values>),
      period: filters.period ?? (filters.since || filters.until ? CUSTOM : ''),
      since: toLocalTime(filters.since),
      until: toLocalTime(filters.until),
    },
    transformValues: (values) => {
      const isCustom = values.period === CUSTOM
      return {
        ...values,
        period: isCustom ? '' : values.period,
        since: isCustom ? toUtc(values.since) : '',
        until: isCustom ? toUtc(values.until) : '',
      }
    },
    validate,
  })

  return (
    <Paper withBorder p="md" component="form" aria-label="Filters" onSubmit={form.onSubmit(apply)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Select
          label="Platform"
          placeholder="Any"
          clearable
          clearButtonProps={{ 'aria-label': 'Any platform' }}
          data={optionsOf(PLATFORM_LABELS)}
          {...form.getInputProps('platform')}
          value={form.values.platform || null}
          onChange={(value) => form.setFieldValue('platform', value ?? '')}
        />
        <Select
          label="Uploaded"
          placeholder="Any time"
          clearable
          clearButtonProps={{ 'aria-label': 'Any time' }}
          data={optionsOf({ ...PERIOD_LABELS, [CUSTOM]: 'Custom range' })}
          {...form.getInputProps('period')}
          value={form.values.period || null}
          onChange={(value) => form.setFieldValue('period', value ?? '')}
        />
        {form.values.period === CUSTOM && (
          <>
            <TextInput type="datetime-local" label="From" {...form.getInputProps('since')} />
            <TextInput type="datetime-local" label="To" {...form.getInputProps('until')} />
          </>
        )}
        <Autocomplete
          label="Scorecard"
          placeholder="Code"
          data={[...codes]}
          {...form.getInputProps('scoreCode')}
        />
        <Group grow gap="xs" align="flex-start" wrap="nowrap">
          <NumberInput label="Min score" hideControls {...form.getInputProps('scoreFrom')} />
          <NumberInput label="Max score" hideControls {...form.getInputProps('scoreTo')} />
        </Group>
        <TextInput label="Client" placeholder="Client ID" {...form.getInputProps('clientId')} />
        <TextInput label="Device" placeholder="Device ID" {...form.getInputProps('deviceId')} />
        <Autocomplete
          label="Error code"
          placeholder="Any"
          data={[...ERROR_CODES]}
          {...form.getInputProps('invalidCode')}
        />
      </SimpleGrid>
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={() => apply(EMPTY)}>
          Clear
        </Button>
        <Button type="submit">Apply</Button>
      </Group>
    </Paper>
  )
}

/** The value of a datetime input, in the viewer's time zone. */
function toLocalTime(at: string | undefined): string {
  if (!at) return ''
  const date = toDate(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const toUtc = (local: string) => (local === '' ? '' : new Date(local).toISOString())
