/** The body of a call about a session is small: 1,000 characters of a password, each of them written as two escapes. */
export const ACCOUNT_BODY_BYTES = 32 * 1024
