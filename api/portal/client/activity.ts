const ACTIVE_AT_KEY = 'inkling.active-at'

/**
 * When the user was last active in any tab of this browser, in milliseconds since 1970. A missing record, for example after the
 * browser's storage was cleared, is no sign of a long absence: the time counts from now.
 */
export function activeAt(): number {
  const recorded = Number(localStorage.getItem(ACTIVE_AT_KEY) ?? 0)
  if (recorded > 0) return recorded
  recordActivity()
  return Date.now()
}

/** Records activity of the user, for all tabs. */
export const recordActivity = (): void => localStorage.setItem(ACTIVE_AT_KEY, String(Date.now()))
