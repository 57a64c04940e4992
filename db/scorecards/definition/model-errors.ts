/** A path within a model. */
export type ModelPath = readonly (string | number)[]

/** An error of a model and its path. */
export interface ModelError {
  readonly message: string
  readonly path: ModelPath
}

/** The inputs that a model reads and the reason codes that it can give, each with its path, with repetitions. */
export interface ModelNames {
  readonly inputs: readonly { readonly name: string; readonly path: ModelPath }[]
  readonly reasonCodes: readonly { readonly code: string; readonly path: ModelPath }[]
}
