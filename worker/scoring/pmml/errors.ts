/** An inconsistent or unsupported model, which cannot be compiled. The message is for a person. */
export class PmmlError extends Error {
  /** The name or text in the model that the error concerns, used to locate it in a file. */
  readonly subject: string | undefined

  constructor(message: string, subject?: string, options?: ErrorOptions) {
    super(message, options)
    this.subject = subject
  }
}

/** A dataset for which the model has no score. The message has the reason, for a person. */
export class NoScore extends Error {}

/** A model element without a prediction for a dataset; Targets or an enclosing segmentation may replace it. */
export class NoPrediction extends NoScore {}
