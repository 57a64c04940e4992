/** Long runs (`npm run test:faults`) have longer outages, more kills and more load; short ones are part of every test run. */
export const isLong = process.env.FAULTS === 'long'

/** Selects a value by the length of this run. */
export const byLength = <T>(values: { short: T; long: T }): T => (isLong ? values.long : values.short)
