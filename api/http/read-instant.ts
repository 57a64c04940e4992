/**
 * The instant that a date or a time names: UTC where it has no zone, as all times of the interface, which `Date` would read as the
 * time of its own machine. An invalid `Date` where it names none.
 */
export const readInstant = (text: string): Date =>
  new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
