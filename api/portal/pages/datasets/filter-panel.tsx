import { Autocomplete, Button, Group, NumberInput, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { DatasetSearchQuery } from '../../../datasets/dataset-search-schemas.ts'
import { instantOf } from '../../parts/instant.ts'
import { type AddressFilters, PERIOD_NAMES } from './filters.ts'

const EMPTY = {
  ...{ platform: '', period: '', since: '', until: '', scoreCode: '', scoreFrom: '', scoreTo: '' },
  ...{ clientId: '', deviceId: '', invalidCode: '' },
}

type Values = typeof EMPTY

const withoutEmpty = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

/** As the API judges them. */
const Judged = z
  .preprocess(
    (values) => withoutEmpty(values as Values),
    DatasetSearchQuery as unknown as z.ZodType<Partial<Values>>,
  )
  .superRefine(({ since, until }, context) => {
    if (since && until && since >= until)
      context.addIssue({ code: 'custom', message: 'Must be later than From', path: ['until'] })
  })

/** The API's messages, in the words of the form. */
const WORDS: Readonly<Record<string, string>> = {
  'is required with scoreFrom or scoreTo': 'Choose a scorecard first',
  'must be at least scoreFrom': 'Must be at least the minimum',
}

/** Filters beside state and reference number; they apply together. */
export function FilterPanel({
  filters,
  codes,
  apply,
}: {
  filters: AddressFilters
  /** Codes of scores that are known, to choose from. */
  codes: readonly string[]
  apply: (values: Values) => void
}) {
  const form = useForm<Values>({
    initialValues: {
      ...EMPTY,
      ...(filters as Partial<Values>),
      since: localOf(filters.since),
      until: localOf(filters.until),
    },
    transformValues: (values) => ({
      ...values,
      period: values.period === 'custom' ? '' : values.period,
      since: values.period === 'custom' ? utcOf(values.since) : '',
      until: values.period === 'custom' ? utcOf(values.until) : '',
    }),
    validate: (values) => {
      const faults = schemaResolver(Judged, { sync: true })(values)
      return Object.fromEntries(
        Object.entries(faults).map(([name, fault]) => [name, WORDS[String(fault)] ?? fault]),
      )
    },
  })
  if (form.values.period === '' && (filters.since || filters.until) && !form.isTouched('period'))
    form.values.period = 'custom'

  return (
    <Paper withBorder p="md" component="form" aria-label="Filters" onSubmit={form.onSubmit(apply)}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Select
          label="Platform"
          placeholder="Any"
          clearable
          clearButtonProps={{ 'aria-label': 'Any platform' }}
          data={[
            { value: 'android', label: 'Android' },
            { value: 'ios', label: 'iOS' },
            { value: 'web', label: 'Web' },
          ]}
          {...form.getInputProps('platform')}
          value={form.values.platform || null}
          onChange={(value) => form.setFieldValue('platform', value ?? '')}
        />
        <Select
          label="Uploaded"
          placeholder="Any time"
          clearable
          clearButtonProps={{ 'aria-label': 'Any time' }}
          data={[
            ...Object.entries(PERIOD_NAMES).map(([value, label]) => ({ value, label })),
            { value: 'custom', label: 'Custom range' },
          ]}
          {...form.getInputProps('period')}
          value={form.values.period || null}
          onChange={(value) => form.setFieldValue('period', value ?? '')}
        />
        {form.values.period === 'custom' && (
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
          <NumberInput label="Score from" hideControls {...form.getInputProps('scoreFrom')} />
          <NumberInput label="to" aria-label="Score to" hideControls {...form.getInputProps('scoreTo')} />
        </Group>
        <TextInput label="Client" placeholder="clientId" {...form.getInputProps('clientId')} />
        <TextInput label="Device" placeholder="Device identifier" {...form.getInputProps('deviceId')} />
        <TextInput label="Error code" placeholder="not_gzip" {...form.getInputProps('invalidCode')} />
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

/** As an input of a browser has a time: in the viewer's zone, without saying so. */
function localOf(at: string | undefined): string {
  if (!at) return ''
  const date = instantOf(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const utcOf = (local: string) => (local === '' ? '' : new Date(local).toISOString())
