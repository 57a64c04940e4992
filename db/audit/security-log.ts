import type { Logger } from 'pino'

/** Members of a security event that a log line can have. */
export interface LoggedEvent {
  /** Time of the event, in UTC. */
  readonly at: string
  /** null: no subscription was found. */
  readonly subscriptionId: number | null
  readonly actorKind: string | null
  readonly actorId: number | null
  readonly action: string
  readonly outcome: string
  /** Why a sign-in was not successful. */
  readonly reason?: string | undefined
  /** Place in the audit log. */
  readonly id?: number
  readonly seq?: number
  readonly hash?: string
  /** Logged only with `names`. */
  readonly actor: string
  readonly subject: string | null
  readonly address: string | null
}

/** Writes a security event as a log line. */
export type WriteSecurityEvent = (event: LoggedEvent) => void

/**
 * Opens the log of security events: lines with a stable name in `event`.
 *
 * @param names includes e-mail addresses, subjects and network addresses, which no other line has.
 */
export const openSecurityLog =
  (log: Logger, names: boolean): WriteSecurityEvent =>
  ({ action: event, actor, subject, address, ...ids }) =>
    log.info({ event, ...ids, ...(names && { actor, subject, address }) }, 'security event')
