/** An error that the operator can fix. Only the message is shown. */
export class UserError extends Error {
  override name = 'UserError'
}

/** An invalid command line: exit code 2, as for errors of the parser. */
export class UsageError extends UserError {
  override name = 'UsageError'
}
