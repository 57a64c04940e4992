import { parseTimestamp } from '../../http/parse-timestamp.ts'

/** The instant that a time of the API names. */
export const instantOf = (at: string | Date): Date => (at instanceof Date ? at : parseTimestamp(at))
