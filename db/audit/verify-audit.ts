import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Chain entries read by one statement: 0.2 s. */
const PAGE_ROWS = 10_000

/** Problems listed for a subscription. */
const MAX_PROBLEMS = 100

/** A place at which the audit log differs from what was recorded. */
export interface AuditProblem {
  /**
   * - `changed`: the event or its entry in the chain was changed or moved.
   * - `missing`: the event was deleted; its entry in the chain is left.
   * - `cut`: entries of the chain were deleted, within it or at its end.
   * - `unchained`: the event was inserted past the chain.
   * - `head`: the newest entry is not the one that the database recorded last.
   */
  readonly problem: 'changed' | 'missing' | 'cut' | 'unchained' | 'head'
  /** Position in the chain; of `cut` the first missing one. */
  readonly seq: number | null
  /** The last missing position of `cut`. */
  readonly through?: number
  /** Id of the row in `audit_events`; null if no entry is left that names it. */
  readonly id: number | null
}

/** The result of verifying a subscription's audit log. */
export interface AuditVerification {
  readonly subscriptionId: number
  /** Events verified. */
  readonly events: number
  /** Events that retention removed before the first one. */
  readonly pruned: number
  /** The newest entry: compare it with one that was written elsewhere. */
  readonly head: { readonly seq: number; readonly hash: string }
  /** The first 100. */
  readonly problems: readonly AuditProblem[]
}

/** Lists the subscriptions that have audit events or entries of a chain. */
export async function listAudited(db: Db): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select id from subscriptions s
        where exists (select from audit_heads where subscription_id = s.id)
           or exists (select from audit_chain where subscription_id = s.id)
           or exists (select from audit_events where subscription_id = s.id)
        order by id`,
  )
  return rows.map(({ id }) => id)
}

interface Head {
  readonly seq: number
  readonly hash: string
  readonly prunedSeq: number
  readonly prunedHash: string
}

interface Entry {
  readonly seq: number
  readonly id: number
  readonly hash: string
  readonly missing: boolean
  readonly matches: boolean
}

/** Verifies the audit log of a subscription as of one moment, while events are recorded. */
export async function verifyAudit(db: Db, subscriptionId: number): Promise<AuditVerification> {
  return db.transaction((trx) => verify(trx, subscriptionId), {
    isolationLevel: 'repeatable read',
    readOnly: true,
  })
}

async function verify(trx: Db, subscriptionId: number): Promise<AuditVerification> {
  const head = await findHead(trx, subscriptionId)
  const problems: AuditProblem[] = []
  const report = (problem: AuditProblem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
  }
  let { prunedSeq: seq, prunedHash: hash } = head
  let events = 0
  for (;;) {
    const page = await listEntries(trx, subscriptionId, { seq, hash })
    for (const entry of page) {
      if (entry.seq > seq + 1) report({ problem: 'cut', seq: seq + 1, through: entry.seq - 1, id: null })
      if (entry.missing) report({ problem: 'missing', seq: entry.seq, id: entry.id })
      else if (!entry.matches && entry.seq === seq + 1)
        report({ problem: 'changed', seq: entry.seq, id: entry.id })
      if (!entry.missing) events++
      seq = entry.seq
      hash = entry.hash
    }
    if (page.length < PAGE_ROWS) break
  }
  if (seq < head.seq) report({ problem: 'cut', seq: seq + 1, through: head.seq, id: null })
  else if (seq !== head.seq || hash !== head.hash) report({ problem: 'head', seq: head.seq, id: null })
  for (const id of await listUnchained(trx, subscriptionId)) report({ problem: 'unchained', seq: null, id })
  return {
    subscriptionId,
    events,
    pruned: head.prunedSeq,
    head: { seq: head.seq, hash: head.hash },
    problems,
  }
}

async function findHead(trx: Db, subscriptionId: number): Promise<Head> {
  const [head] = await queryRows<Head>(
    trx,
    sql`select seq, encode(hash, 'hex') as hash, pruned_seq as "prunedSeq", encode(pruned_hash, 'hex') as "prunedHash"
        from audit_heads where subscription_id = ${subscriptionId}`,
  )
  return head ?? { seq: 0, hash: '', prunedSeq: 0, prunedHash: '' }
}

/** Lists the next entries of a chain, each compared with its event and the entry before. */
function listEntries(
  trx: Db,
  subscriptionId: number,
  after: { readonly seq: number; readonly hash: string },
): Promise<Entry[]> {
  return queryRows(
    trx,
    sql`with page as (
          select seq, event_id, hash, lag(hash, 1, decode(${after.hash}, 'hex')) over (order by seq) as before
          from audit_chain where subscription_id = ${subscriptionId} and seq > ${after.seq}
          order by seq limit ${PAGE_ROWS}
        )
        select p.seq, p.event_id as id, encode(p.hash, 'hex') as hash, e.id is null as missing,
               e.id is not null and p.hash = audit_hash(p.before, audit_event_text(e::audit_events, p.seq)) as matches
        from page p
        left join lateral (
          select * from audit_events where subscription_id = ${subscriptionId} and id = p.event_id limit 1
        ) e on true
        order by p.seq`,
  )
}

async function listUnchained(trx: Db, subscriptionId: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    trx,
    sql`select e.id from audit_events e
        where e.subscription_id = ${subscriptionId} and not exists (
          select from audit_chain c where c.subscription_id = e.subscription_id and c.event_id = e.id
        )
        order by e.id limit ${MAX_PROBLEMS}`,
  )
  return rows.map(({ id }) => id)
}
