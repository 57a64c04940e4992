/** A check does not apply, or cannot see what it needs; the message is the reason. */
export class Skipped extends Error {
  override name = 'Skipped'
}
