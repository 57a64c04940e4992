import { Refusal } from '../../../admin-commands/refusal.ts'

/** Where something stands in a file. */
interface Place {
  readonly name: string
  readonly line: number
  readonly column?: number | undefined
}

/** What in a PMML file is not taken, with its place: `line 12, <TreeModel>: …`. */
export class PmmlRefusal extends Refusal {
  override name = 'PmmlRefusal'

  constructor(what: string, at?: Place, options?: ErrorOptions) {
    super(
      at
        ? `line ${at.line}${at.column === undefined ? '' : `, column ${at.column}`}, <${at.name}>: ${what}`
        : what,
      options,
    )
  }
}
