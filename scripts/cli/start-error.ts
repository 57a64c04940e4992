/** A server could not be started for a reason that the user can fix. Only the message is shown. */
export class StartError extends Error {
  override name = 'StartError'
}
