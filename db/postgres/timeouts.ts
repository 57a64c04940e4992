/** Statements are short; one that takes this long is stuck. */
export const STATEMENT_MS = 15_000

/** Longer than any statement may take. */
export const SILENCE_MS = 20_000
