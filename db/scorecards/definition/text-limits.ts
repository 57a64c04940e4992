/** Characters of a text at every step of a model: an input, an argument, a result. */
export const MAX_TEXT = 10_000

/** Characters of a text that a regular expression is matched with. */
export const MAX_MATCHED_TEXT = 300
