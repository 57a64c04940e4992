/** A model that cannot be compiled: what it says does not hold together. The message is for a person. */
export class PmmlFault extends Error {
  /** The name or the text in the model that it is about, by which its place in a file is found. */
  readonly subject: string | undefined

  constructor(message: string, subject?: string, options?: ErrorOptions) {
    super(message, options)
    this.subject = subject
  }
}

/** One dataset that the model gives no score, and why, for a person. */
export class NoScore extends Error {}

/** A model that cannot predict for a dataset: what is around it (targets, a segmentation) may know better. */
export class NoPrediction extends NoScore {}
