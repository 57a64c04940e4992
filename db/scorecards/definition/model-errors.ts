/** A place in a model, from its top. */
export type ModelPath = readonly (string | number)[]

/** What is wrong with a model, and where. */
export interface ModelError {
  readonly message: string
  readonly path: ModelPath
}

/** The inputs that a model reads and the reason codes that it can give, each with its place, with repetitions. */
export interface ModelNames {
  readonly inputs: readonly { readonly name: string; readonly path: ModelPath }[]
  readonly reasonCodes: readonly { readonly code: string; readonly path: ModelPath }[]
}
