import { Alert, Button, Group, NumberInput, Paper, Radio, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api } from '../../client/api.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { Retention } from './privacy-types.ts'

const MAX_DAYS = 99_999

interface Values {
  captures: 'days' | 'forever'
  captureDays: number | string
  datasets: 'days' | 'forever'
  datasetDays: number | string
}

const checkDays = (kept: Values['captures'], days: number | string) =>
  kept === 'forever' || (Number.isInteger(days) && Number(days) >= 1) ? null : 'Enter whole days'

/** How long captures and datasets are stored, in a form that changes it. */
export function RetentionSection({
  retention: { captureDays, datasetDays, capturesFrom },
  onChanged,
}: {
  retention: Retention
  onChanged: () => void
}) {
  const [error, setError] = useState<unknown>()
  const form = useForm<Values>({
    initialValues: {
      captures: captureDays === 'forever' ? 'forever' : 'days',
      captureDays: captureDays === 'forever' ? 730 : captureDays,
      datasets: datasetDays === 'forever' ? 'forever' : 'days',
      datasetDays: datasetDays === 'forever' ? 1_825 : datasetDays,
    },
    validate: {
      captureDays: (days, { captures }) => checkDays(captures, days),
      datasetDays: (days, { datasets }) => checkDays(datasets, days),
    },
  })

  async function change({ captures, datasets, ...days }: Values) {
    setError(undefined)
    try {
      await api.PATCH('/api/privacy/v1/retention', {
        body: {
          captureDays: captures === 'forever' ? captures : Number(days.captureDays),
          datasetDays: datasets === 'forever' ? datasets : Number(days.datasetDays),
        },
      })
      form.resetDirty()
      notifications.show({ color: 'teal', message: 'Retention changed' })
      onChanged()
    } catch (problem) {
      setError(problem)
    }
  }

  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="retention-title">
      <Title order={2} id="retention-title" mb={4}>
        Retention
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw="44rem">
        Captures are stored for 2 years (730 days) unless you choose otherwise; insights stay until their
        dataset is deleted. What is older is removed within minutes, permanently.
      </Text>
      {capturesFrom !== null && (
        <Alert color="yellow" mb="md" title="Captures are not removed yet">
          <Text size="sm" component="div">
            Older captures are removed from <TimeText at={capturesFrom} /> on. Save the retention that you
            want before.
          </Text>
        </Alert>
      )}
      <form onSubmit={form.onSubmit(change)}>
        <Stack gap="lg" maw={560}>
          <DurationField
            label="Captures"
            description="The data that phones and browsers send; the insight stays"
            words={{ days: 'Remove after some days', count: 'Days until captures are removed' }}
            kept={form.getInputProps('captures')}
            days={form.values.captures === 'days' ? form.getInputProps('captureDays') : undefined}
          />
          <DurationField
            label="Datasets"
            description="The whole dataset, with insight, scores and Additional Info"
            words={{ days: 'Delete after some days', count: 'Days until datasets are deleted' }}
            kept={form.getInputProps('datasets')}
            days={form.values.datasets === 'days' ? form.getInputProps('datasetDays') : undefined}
          />
          {error !== undefined && <ErrorState error={error} />}
          <Group>
            <Button
              type="submit"
              loading={form.submitting}
              disabled={!form.isDirty() && capturesFrom === null}
            >
              Save retention
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

type InputProps = ReturnType<ReturnType<typeof useForm<Values>>['getInputProps']>

/** A choice between a number of days and indefinite storage. @param days of the number; undefined hides it. */
function DurationField({
  label,
  description,
  words,
  kept,
  days,
}: {
  label: string
  description: string
  words: { days: string; count: string }
  kept: InputProps
  days: InputProps | undefined
}) {
  return (
    <>
      <Radio.Group label={label} description={description} {...kept}>
        <Group mt="xs">
          <Radio value="days" label={words.days} />
          <Radio value="forever" label="Store indefinitely" />
        </Group>
      </Radio.Group>
      {days && (
        <NumberInput
          label={words.count}
          min={1}
          max={MAX_DAYS}
          allowDecimal={false}
          hideControls
          maw="16rem"
          {...days}
        />
      )}
    </>
  )
}
