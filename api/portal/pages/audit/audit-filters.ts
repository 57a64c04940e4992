import { useCallback } from 'react'
import { useSearchParams } from 'react-router'
import { ACTOR_KIND_LABELS, OUTCOME_LABELS } from '../../parts/labels.ts'

/** Filters from the URL; days are in the viewer's time zone, and `until` is the last day. */
export interface AuditFilters {
  readonly actor: string
  readonly action: string
  readonly actorKind: '' | keyof typeof ACTOR_KIND_LABELS
  readonly outcome: '' | keyof typeof OUTCOME_LABELS
  readonly since: string
  readonly until: string
}

const NAMES = ['actor', 'action', 'actorKind', 'outcome', 'since', 'until'] as const

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const isKeyOf = <T extends object>(labels: T, text: string): text is keyof T & string =>
  Object.hasOwn(labels, text)

/** Reads and changes the filters in the URL, so that links and the back button work. */
export function useAuditFilters(): {
  filters: AuditFilters
  /** Invalid filters of the URL, with a message each. */
  errors: readonly { readonly name: 'since' | 'until'; readonly text: string }[]
  any: boolean
  change: (changed: Partial<AuditFilters>) => void
  clear: () => void
} {
  const [params, setParams] = useSearchParams()
  const [actor = '', action = '', actorKind = '', outcome = '', since = '', until = ''] = NAMES.map(
    (name) => params.get(name) ?? '',
  )
  const filters: AuditFilters = {
    ...{ actor, action },
    actorKind: isKeyOf(ACTOR_KIND_LABELS, actorKind) ? actorKind : '',
    outcome: isKeyOf(OUTCOME_LABELS, outcome) ? outcome : '',
    since: isDay(since) ? since : '',
    until: isDay(until) ? until : '',
  }
  const errors = (
    [
      ['since', 'From', since],
      ['until', 'To', until],
    ] as const
  )
    .filter(([, , value]) => value !== '' && !isDay(value))
    .map(([name, label, value]) => ({ name, text: `${label} is “${value}”` }))
  const change = useCallback(
    (changed: Partial<AuditFilters>) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changed)) {
            if (value) after.set(name, value)
            else after.delete(name)
          }
          return after
        },
        { preventScrollReset: true },
      ),
    [setParams],
  )
  const clear = () => setParams({}, { preventScrollReset: true })
  return { filters, errors, any: Object.values(filters).some((value) => value !== ''), change, clear }
}

/** The filters as a query of the API, with days as timestamps. */
export function queryOf({ actor, action, actorKind, outcome, since, until }: AuditFilters): {
  actor?: string
  action?: string
  actorKind?: Exclude<AuditFilters['actorKind'], ''>
  outcome?: Exclude<AuditFilters['outcome'], ''>
  since?: string
  until?: string
} {
  const from = startOf(since, 0)
  const to = startOf(until, 1)
  return {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(actorKind && { actorKind }),
    ...(outcome && { outcome }),
    ...(from && { since: from }),
    ...(to && { until: to }),
  }
}

/** Start of the day that is `offset` days after `day`, in the viewer's time zone. */
function startOf(day: string, offset: number): string | undefined {
  if (day === '') return undefined
  const at = new Date(`${day}T00:00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + offset)
  return at.toISOString()
}
