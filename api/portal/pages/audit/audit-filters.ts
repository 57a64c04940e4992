import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

/** What the log is searched for, as the address says; days are the viewer's, and `until` is the last of them. */
export interface AuditFilters {
  readonly actor: string
  readonly action: string
  readonly since: string
  readonly until: string
}

const NAMES = ['actor', 'action', 'since', 'until'] as const

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The filters of the address, and how to change them there: so that a link shows the same, and the back button works. */
export function useAuditFilters(): {
  filters: AuditFilters
  /** Filters of the address that cannot be applied: their names and what they say. */
  faults: readonly { readonly name: 'since' | 'until'; readonly text: string }[]
  any: boolean
  change: (changed: Partial<AuditFilters>) => void
  clear: () => void
} {
  const [params, setParams] = useSearchParams()
  const [actor = '', action = '', since = '', until = ''] = NAMES.map((name) => params.get(name) ?? '')
  const filters = { actor, action, since: isDay(since) ? since : '', until: isDay(until) ? until : '' }
  const faults = (
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
  return { filters, faults, any: Object.values(filters).some((value) => value !== ''), change, clear }
}

/** The filters as the API takes them: days of the viewer become instants. */
export function queryOf({ actor, action, since, until }: AuditFilters): {
  actor?: string
  action?: string
  since?: string
  until?: string
} {
  const from = startOf(since, 0)
  const to = startOf(until, 1)
  return {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(from && { since: from }),
    ...(to && { until: to }),
  }
}

/** When a day begins where the viewer is, or one so many days after it. */
function startOf(day: string, after: number): string | undefined {
  if (day === '') return undefined
  const at = new Date(`${day}T00:00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + after)
  return at.toISOString()
}
