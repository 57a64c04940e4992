import type { AuditAction } from '../../db/audit/audit-actions.ts'
import type { KeyCaller, LoginCaller } from './endpoint.ts'
import { Problem } from './problem.ts'

/** The rejection of a known caller: by its role or scopes, `forbidden`, or by the network of its address, `network_not_allowed`. */
export class DeniedProblem extends Problem {
  readonly caller: KeyCaller | LoginCaller
  /** The security event that records it. */
  readonly action: AuditAction
  constructor(code: 'forbidden' | 'network_not_allowed', caller: KeyCaller | LoginCaller, detail?: string) {
    super(code, detail === undefined ? {} : { detail })
    this.caller = caller
    this.action = code === 'forbidden' ? 'access.denied' : 'key.denied'
  }
}
