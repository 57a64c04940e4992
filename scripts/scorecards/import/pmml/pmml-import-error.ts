import { UserError } from '../../../cli/user-error.ts'

/** A position in a file. */
interface Place {
  readonly name: string
  readonly line: number
  readonly column?: number | undefined
}

/** An error in a PMML file, with its place: `line 12, <TreeModel>: …`. */
export class PmmlImportError extends UserError {
  override name = 'PmmlImportError'

  constructor(what: string, at?: Place, options?: ErrorOptions) {
    super(
      at
        ? `line ${at.line}${at.column === undefined ? '' : `, column ${at.column}`}, <${at.name}>: ${what}`
        : what,
      options,
    )
  }
}
