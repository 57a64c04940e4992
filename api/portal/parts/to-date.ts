import { readInstant } from '../../http/read-instant.ts'

/** Parses a timestamp of the API. */
export const toDate = (at: string | Date): Date => (at instanceof Date ? at : readInstant(at))
