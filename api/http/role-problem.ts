import type { KeyCaller, LoginCaller } from './endpoint.ts'
import { Problem } from './problem.ts'

/** The problem `forbidden` of a known caller, whose role does not allow the endpoint. */
export class RoleProblem extends Problem {
  readonly caller: KeyCaller | LoginCaller
  constructor(caller: KeyCaller | LoginCaller) {
    super('forbidden')
    this.caller = caller
  }
}
