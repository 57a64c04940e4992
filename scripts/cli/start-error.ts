/** Something could not be started for a reason that its user can remove; the message is the whole of what to show. */
export class StartError extends Error {
  override name = 'StartError'
}
