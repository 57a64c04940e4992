import { LRUCache } from 'lru-cache'
import { actorText } from '../../db/audit/actor.ts'
import { type NewAuditEvent, recordAuditEvents } from '../../db/audit/audit-events.ts'
import { addSecurityEventCounts } from '../../db/audit/security-event-counts.ts'
import type { WriteSecurityEvent } from '../../db/audit/security-log.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { SsoDenial } from '../../db/sign-in/sso-users.ts'
import { atMost } from '../http/at-most.ts'

/** Why a sign-in was not successful: bounded, since it is a label of metrics. */
export type SignInReason =
  | 'wrong_password'
  | 'wrong_factor'
  | 'unknown_user'
  | 'suspended'
  | 'throttled'
  // the user has to sign in by single sign-on
  | 'sso_required'
  // the answer does not belong to a sign-in that this browser began, or was used before
  | 'sso_state'
  // the provider could not be reached in time
  | 'sso_unavailable'
  // the provider reports an error, such as that the user cancelled
  | 'sso_refused'
  // the answer or the token of the provider is not valid
  | 'sso_invalid'
  // no role for the values of the claim
  | 'sso_role'
  | SsoDenial

/** A security event that changes nothing, and that therefore no transaction records. */
export interface SecurityEvent extends Omit<NewAuditEvent, 'subscriptionId' | 'at' | 'detail'> {
  /** null: no subscription was found. The event is logged and counted, as while Postgres is unavailable for long; no audit log has it. */
  readonly subscriptionId: number | null
  readonly detail?: { readonly reason?: SignInReason; readonly [name: string]: unknown }
}

/** Records security events in the background, so that no response waits for them. */
export interface Trail {
  note(event: SecurityEvent): void
  /** As `note`, but records equal events once a minute: a page that refreshes itself reads the same dataset again and again. */
  noteOnceAMinute(event: SecurityEvent): void
  /** Writes the events so far; they stay if that fails. */
  flush(): Promise<void>
}

/** Limits of kept events and of one statement. */
const MAX_PENDING = 20_000
const MAX_ROWS = 500

const REPEAT_MS = 60_000
const MAX_RECENT = 20_000

export function openTrail(db: Db, write: WriteSecurityEvent): Trail {
  let pending: NewAuditEvent[] = []
  let counts: { event: string; outcome: string; reason: string; events: number }[] = []
  const recent = new LRUCache<string, true>({ ...atMost(MAX_RECENT), ttl: REPEAT_MS })

  function note({ subscriptionId, ...event }: SecurityEvent): void {
    const at = new Date()
    if (subscriptionId !== null && pending.length < MAX_PENDING) {
      pending.push({ ...event, subscriptionId, at })
      return
    }
    const { actor, action, outcome = 'success', subject = null, detail } = event
    const { kind: actorKind, id: actorId, address = null } = actor
    write({
      ...{
        at: at.toISOString(),
        subscriptionId,
        actorKind,
        actorId,
        action,
        outcome,
        reason: detail?.reason,
      },
      ...{ actor: actorText(actor), subject, address },
    })
    counts.push({ event: action, outcome, reason: detail?.reason ?? '', events: 1 })
  }

  return {
    note,
    noteOnceAMinute(event) {
      const key = JSON.stringify(event)
      if (recent.has(key)) return
      recent.set(key, true)
      note(event)
    },
    async flush() {
      const counted = counts
      counts = []
      await addSecurityEventCounts(db, counted).catch((error) => {
        counts = [...counted, ...counts].slice(0, MAX_PENDING)
        throw error
      })
      while (pending.length > 0) {
        const taken = pending.slice(0, MAX_ROWS)
        pending = pending.slice(MAX_ROWS)
        await recordAuditEvents(db, taken).catch((error) => {
          pending = [...taken, ...pending]
          throw error
        })
      }
    },
  }
}
