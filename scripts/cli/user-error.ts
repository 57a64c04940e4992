/** The operator's error: its message is all there is to say. */
export class UserError extends Error {
  override name = 'UserError'
}

/** A command line that is wrong whatever is stored: exit code 2, as for the errors of the parser. */
export class UsageError extends UserError {
  override name = 'UsageError'
}
