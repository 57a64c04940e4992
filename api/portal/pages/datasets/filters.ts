import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { DatasetSearchQuery } from '../../../datasets/dataset-search-schemas.ts'
import { minuteText } from '../../parts/formats.ts'
import { labelOf, PLATFORM_LABELS, STATUS_LABELS } from '../../parts/labels.ts'
import { toDate } from '../../parts/to-date.ts'
import type { DatasetFilters } from './dataset-query.ts'

const FILTER_LABELS = {
  search: 'Search',
  referenceNumber: 'Reference number',
  status: 'Status',
  platform: 'Platform',
  period: 'Uploaded',
  since: 'From',
  until: 'To',
  scoreCode: 'Scorecard',
  scoreFrom: 'Minimum score',
  scoreTo: 'Maximum score',
  clientId: 'Client',
  deviceId: 'Device',
  invalidCode: 'Error code',
} as const satisfies Record<keyof AddressFilters, string>

type FilterName = keyof typeof FILTER_LABELS

const FILTER_NAMES = Object.keys(FILTER_LABELS) as FilterName[]

/** Changes that remove all filters. */
export const NO_FILTERS: Readonly<Partial<Record<FilterName, undefined>>> = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, undefined]),
)

const PERIOD_HOURS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const

export type Period = keyof typeof PERIOD_HOURS

export const PERIOD_LABELS: Readonly<Record<Period, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

/** The filters of the URL; `period` is a `since` relative to now. */
export interface AddressFilters extends DatasetFilters {
  readonly period?: Period
}

/** A filter of the URL that the API would reject. */
export interface FilterError {
  /** The filters to remove. */
  readonly names: readonly string[]
  readonly text: string
}

/**
 * The filters of the URL, their errors, the API's query for them, and a function that changes them. Filters in the query of the
 * URL, of links made before they moved to the fragment, work as long as there is no fragment.
 */
export function useFilters() {
  const { hash, search: query } = useLocation()
  const navigate = useNavigate()
  const params = useMemo(() => new URLSearchParams(hash === '' ? query : hash.slice(1)), [hash, query])
  const filters = useMemo(() => readFilters(params), [params])
  const errors = useMemo(() => findErrors(filters, params.get('period')), [filters, params])
  const search = useMemo((): DatasetFilters => {
    const { period, ...rest } = filters
    return period === undefined ? rest : { ...rest, since: sinceOf(period) }
  }, [filters])
  const change = useCallback(
    (changes: Partial<Record<FilterName, string | undefined>>, { replace = false } = {}) => {
      const after = new URLSearchParams(params)
      for (const [name, value] of Object.entries(changes))
        if (value) after.set(name, value)
        else after.delete(name)
      navigate({ search: '', hash: after.toString() }, { replace, preventScrollReset: true })
    },
    [params, navigate],
  )
  return { filters, errors, search, change }
}

const isPeriod = (value: string | null): value is Period => value !== null && value in PERIOD_HOURS

function readFilters(params: URLSearchParams): AddressFilters {
  return Object.fromEntries(
    FILTER_NAMES.map((name) => [name, params.get(name)] as const).filter(
      ([name, value]) => value && (name !== 'period' || isPeriod(value)),
    ),
  )
}

function findErrors({ period, ...query }: AddressFilters, addressPeriod: string | null): FilterError[] {
  const { error } = DatasetSearchQuery.safeParse(query)
  const names = new Set(error?.issues.map(({ path }) => String(path[0])))
  const values: Readonly<Record<string, string | undefined>> = query
  return [
    ...[...names].map((name) => errorOf(name, values[name])),
    ...(addressPeriod !== null && period === undefined ? [errorOf('period', addressPeriod)] : []),
  ]
}

const errorOf = (name: string, value: string | undefined): FilterError =>
  value === undefined && name === 'scoreCode'
    ? { names: ['scoreFrom', 'scoreTo'], text: 'Scorecard is missing' }
    : { names: [name], text: `${labelOf(FILTER_LABELS, name)} is “${value ?? ''}”` }

const sinceOf = (period: Period) => new Date(Date.now() - PERIOD_HOURS[period] * 3_600_000).toISOString()

/** A time of the URL in the viewer's time zone; unchanged if it is invalid. */
const timeText = (at: string) => {
  const date = toDate(at)
  return Number.isNaN(date.getTime()) ? at : minuteText(date)
}

/** Such as `Score app_score ≤ 460`. */
function scoreText({ scoreCode, scoreFrom, scoreTo }: AddressFilters): string | undefined {
  const range = scoreFrom
    ? scoreTo
      ? `${scoreFrom}–${scoreTo}`
      : `≥ ${scoreFrom}`
    : scoreTo && `≤ ${scoreTo}`
  return scoreCode || range ? ['Score', scoreCode, range].filter(Boolean).join(' ') : undefined
}

/** A description of each filter that is set, with the names of its filters. */
export function describeFilters(filters: AddressFilters): { text: string; names: FilterName[] }[] {
  const { status, platform, period, since, until, clientId, deviceId, invalidCode } = filters
  const described: [text: string | undefined, ...names: FilterName[]][] = [
    [status && labelOf(STATUS_LABELS, status), 'status'],
    [platform && labelOf(PLATFORM_LABELS, platform), 'platform'],
    [period && PERIOD_LABELS[period], 'period'],
    [since && `From ${timeText(since)}`, 'since'],
    [until && `To ${timeText(until)}`, 'until'],
    [scoreText(filters), 'scoreCode', 'scoreFrom', 'scoreTo'],
    [clientId && `Client ${clientId}`, 'clientId'],
    [deviceId && `Device ${deviceId}`, 'deviceId'],
    [invalidCode && `Error code ${invalidCode}`, 'invalidCode'],
  ]
  return described.flatMap(([text, ...names]) => (text ? [{ text, names }] : []))
}
