import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { DatasetSearchQuery } from '../../../datasets/dataset-search-schemas.ts'
import { minuteText } from '../../parts/formats.ts'
import { toDate } from '../../parts/to-date.ts'
import type { DatasetFilters } from './dataset-query.ts'

const NAMES = [
  ...([
    'search',
    'referenceNumber',
    'status',
    'platform',
    'since',
    'until',
    'scoreCode',
    'scoreFrom',
    'scoreTo',
  ] as const),
  ...(['clientId', 'deviceId', 'invalidCode'] as const),
]

/** The times back from now that can be chosen, in hours. */
export const PERIODS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const

export type Period = keyof typeof PERIODS

export const PERIOD_NAMES: Readonly<Record<Period, string>> = {
  '1h': 'The last hour',
  '24h': 'The last 24 hours',
  '7d': 'The last 7 days',
  '30d': 'The last 30 days',
}

/** The filters of the address, which can be kept and sent to others; `period` stands for a `since` that goes with the clock. */
export interface AddressFilters extends DatasetFilters {
  readonly period?: Period
}

/** A filter of the address that the API would refuse. */
export interface FilterFault {
  /** Of the filters to remove. */
  readonly names: readonly string[]
  /** In words. */
  readonly text: string
}

/** The filters, what is wrong with them, what to ask the API by them, and how to change them. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  const filters = useMemo(() => readFilters(params), [params])
  const faults = useMemo(() => findFaults(filters, params.get('period')), [filters, params])
  const search = useMemo((): DatasetFilters => {
    const { period, ...rest } = filters
    return period === undefined ? rest : { ...rest, since: sinceOf(period) }
  }, [filters])
  const change = useCallback(
    (changes: Partial<Record<keyof AddressFilters, string | undefined>>, { replace = false } = {}) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes))
            if (value) after.set(name, value)
            else after.delete(name)
          return after
        },
        { replace, preventScrollReset: true },
      ),
    [setParams],
  )
  return { filters, faults, search, change }
}

function readFilters(params: URLSearchParams): AddressFilters {
  const period = params.get('period')
  return {
    ...Object.fromEntries(NAMES.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []))),
    ...(period !== null && period in PERIODS && { period: period as Period }),
  }
}

const LABELS: Readonly<Record<string, string>> = {
  ...{
    search: 'Search',
    referenceNumber: 'Reference number',
    status: 'Status',
    platform: 'Platform',
    period: 'Uploaded',
  },
  ...{
    since: 'From',
    until: 'To',
    scoreCode: 'Scorecard',
    scoreFrom: 'Minimum score',
    scoreTo: 'Maximum score',
  },
  ...{ clientId: 'Client', deviceId: 'Device', invalidCode: 'Error code' },
}

function findFaults({ period, ...query }: AddressFilters, addressPeriod: string | null): FilterFault[] {
  const { error } = DatasetSearchQuery.safeParse(query)
  const names = new Set(error?.issues.map(({ path }) => String(path[0])))
  const values: Readonly<Record<string, string | undefined>> = query
  return [
    ...[...names].map((name) => faultOf(name, values[name])),
    ...(addressPeriod !== null && period === undefined ? [faultOf('period', addressPeriod)] : []),
  ]
}

const faultOf = (name: string, value: string | undefined): FilterFault =>
  value === undefined && name === 'scoreCode'
    ? { names: ['scoreFrom', 'scoreTo'], text: 'Scorecard is missing' }
    : { names: [name], text: `${LABELS[name] ?? name} is “${value ?? ''}”` }

const sinceOf = (period: Period) => new Date(Date.now() - PERIODS[period] * 3_600_000).toISOString()

const STATES: Readonly<Record<string, string>> = {
  received: 'Processing',
  ready: 'Ready',
  invalid: 'Invalid',
  deleted: 'Deleted',
}

const PLATFORMS: Readonly<Record<string, string>> = { android: 'Android', ios: 'iOS', web: 'Web' }

/** A time of the address as the viewer's clock shows it; as it is where it is none. */
const timeText = (at: string) => {
  const date = toDate(at)
  return Number.isNaN(date.getTime()) ? at : minuteText(date)
}

/** Each filter that is set, in words, and the names that it is made of. */
export function describeFilters(
  filters: AddressFilters,
): { text: string; names: (keyof AddressFilters)[] }[] {
  const { period, since, until, scoreCode, scoreFrom, scoreTo } = filters
  const described: { text: string; names: (keyof AddressFilters)[] }[] = []
  const add = (text: string | undefined | false, ...names: (keyof AddressFilters)[]) =>
    text && described.push({ text, names })
  add(filters.status && (STATES[filters.status] ?? filters.status), 'status')
  add(filters.platform && (PLATFORMS[filters.platform] ?? filters.platform), 'platform')
  add(period && PERIOD_NAMES[period], 'period')
  add(since && `From ${timeText(since)}`, 'since')
  add(until && `To ${timeText(until)}`, 'until')
  const range = scoreFrom || scoreTo ? ` ${scoreFrom ?? ''}–${scoreTo ?? ''}` : ''
  add((scoreCode || range) && `Score ${scoreCode ?? ''}${range}`, 'scoreCode', 'scoreFrom', 'scoreTo')
  add(filters.clientId && `Client ${filters.clientId}`, 'clientId')
  add(filters.deviceId && `Device ${filters.deviceId}`, 'deviceId')
  add(filters.invalidCode && `Error code ${filters.invalidCode}`, 'invalidCode')
  return described
}
