import { parseTimestamp } from '../../http/parse-timestamp.ts'

/** Parses a timestamp of the API. */
export const toDate = (at: string | Date): Date => (at instanceof Date ? at : parseTimestamp(at))
