/** The operator's error: its message is all there is to say. */
export class Refusal extends Error {
  override name = 'Refusal'
}

/** A command line that is wrong whatever is stored: exit code 2, as for the errors of the parser. */
export class WrongUsage extends Refusal {
  override name = 'WrongUsage'
}
