/**
 * How serious a finding is:
 *
 * - `error`: data can be lost, or the service does not work or will soon stop working.
 * - `warning`: the service works, but is slower, less safe, or closer to a limit than it should be.
 * - `note`: nothing needs to be done; an operator should know it.
 */
export type Level = 'error' | 'warning' | 'note'

/** A problem of an installation. Has no secrets. */
export interface Finding {
  readonly level: Level
  /** A sentence without a full stop: the fault and its effect. */
  readonly message: string
  /** What to do about it, with the command or the variable; none for a note that needs nothing. */
  readonly remedy?: string
}
