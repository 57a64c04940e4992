/**
 * Parses a date or time; one without a zone is UTC, as in all of the API, where `Date` would assume local time.
 *
 * @returns an invalid `Date` for any other text.
 */
export const parseTimestamp = (text: string): Date =>
  new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`)
