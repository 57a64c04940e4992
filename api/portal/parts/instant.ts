/**
 * The instant that a time of the API names: some have a zone, and those of the interface are UTC without one, which a
 * browser would read as its own time.
 */
export const instantOf = (at: string | Date): Date =>
  at instanceof Date ? at : new Date(/(Z|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`)
