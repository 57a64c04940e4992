import { readInstant } from '../../http/read-instant.ts'

/** The instant that a time of the API names. */
export const toDate = (at: string | Date): Date => (at instanceof Date ? at : readInstant(at))
