const ACTIVE_AT_KEY = 'inkling.active-at'

/** When the user was last active in any tab of this browser, in milliseconds since 1970. */
export const activeAt = (): number => Number(localStorage.getItem(ACTIVE_AT_KEY) ?? 0)

/** Records activity of the user, for all tabs. */
export const recordActivity = (): void => localStorage.setItem(ACTIVE_AT_KEY, String(Date.now()))
