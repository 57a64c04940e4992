const KEY = 'inkling.mode'

/** Whether this tab shows test data; read once, since pages keep the data that they have loaded. */
export const isTestMode = sessionStorage.getItem(KEY) === 'test'

/** Header of the mode of this tab. */
export const MODE_HEADERS = isTestMode ? { 'Inkling-Mode': 'test' } : {}

/** Makes the next page load of this tab show live data. */
export const leaveTestMode = (): void => sessionStorage.removeItem(KEY)

/** Switches this tab between live and test data. A full page load drops all data of the other mode from memory. */
export function switchMode(mode: 'live' | 'test', path: string): void {
  if (mode === 'test') sessionStorage.setItem(KEY, mode)
  else leaveTestMode()
  location.assign(path)
}
