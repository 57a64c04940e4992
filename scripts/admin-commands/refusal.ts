/** The operator's error: its message is all there is to say. */
export class Refusal extends Error {
  override name = 'Refusal'
}
