/** The long form is for `npm run test:faults`: longer outages, more kills, bigger storms. The short one is for every run. */
export const isLong = process.env.FAULTS === 'long'

/** What holds in the form of this run. */
export const byLength = <T>(forms: { short: T; long: T }): T => (isLong ? forms.long : forms.short)
