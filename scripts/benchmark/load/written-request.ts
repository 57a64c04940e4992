/** A serialised request in parts. */
export type WrittenRequest = readonly (string | Buffer)[]

/** Returns request n, or several that are sent in sequence and timed as one. */
export type WriteRequests = (n: number) => readonly WrittenRequest[]
