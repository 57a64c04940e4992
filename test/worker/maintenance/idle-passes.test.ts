import { pino } from 'pino'
import { expect, test } from 'vitest'
import { changeRetention } from '../../../db/datasets/retention.ts'
import { PLAIN_VAULT } from '../../../db/encryption/vault.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { takeTurn } from '../../../db/postgres/take-turn.ts'
import { closeCollections } from '../../../worker/maintenance/close-collections.ts'
import { convertStored } from '../../../worker/maintenance/convert-stored.ts'
import { enforceRetention } from '../../../worker/maintenance/enforce-retention.ts'
import { erasePersons } from '../../../worker/maintenance/erase-persons.ts'
import { logSecurityEvents } from '../../../worker/maintenance/log-security-events.ts'
import { pruneAuditLogs } from '../../../worker/maintenance/prune-audit-logs.ts'
import { pruneExpired } from '../../../worker/maintenance/prune-expired.ts'
import { pruneRecords } from '../../../worker/maintenance/prune-records.ts'
import { countPages } from '../../support/count-pages.ts'
import { withMeteredDatabase } from '../../support/metered-database.ts'
import { openTenant } from '../../support/service.ts'

/** Rows of each large table. */
const ROWS = 20_000

const LARGE = ['datasets', 'dataset_events', 'insight_requests', 'sightings', 'usage_days', 'pipeline_counts']

const opened = withMeteredDatabase()

const log = pino({ level: 'silent' })
const { signal } = new AbortController()
const days = { reads: 400, events: 400, feed: 30 }

/** Each pass, by the name of its function. */
const PASSES: Record<string, () => Promise<unknown>> = {
  pruneExpired: () => pruneExpired({ db: opened.db, log }, signal),
  enforceRetention: () => enforceRetention({ db: opened.db, log }, signal),
  pruneRecords: () => pruneRecords({ db: opened.db, log, days }, signal),
  pruneAuditLogs: () => pruneAuditLogs({ db: opened.db, log, days: 2_557 }, signal),
  convertStored: () => convertStored({ db: opened.db, vault: PLAIN_VAULT, log }, signal),
  erasePersons: () => erasePersons({ db: opened.db, vault: PLAIN_VAULT, log }, signal),
  closeCollections: () =>
    closeCollections(
      { db: opened.db, log, producer: { tryEnqueue: () => expect.fail('nothing is abandoned') } },
      signal,
    ),
  logSecurityEvents: () => logSecurityEvents({ db: opened.db, write: () => undefined }, signal),
}

test('a pass with nothing due reads a few pages, however much is stored, and beside the snapshot of a backup', async () => {
  const { subscriptionId: id } = await openTenant(opened.db)
  await changeRetention(opened.db, id, { days: 1_000, blobDays: 500 })
  // a vacuum in between would count as reading
  for (const table of LARGE)
    await opened.owner.raw('alter table ?? set (autovacuum_enabled = false)', [table])
  // all of it is to stay, but half of reads and sightings
  await opened.owner.raw(
    `insert into datasets (subscription_id, reference_number, data_hash, blob, status, uploaded_at)
       select ${id}, 'n ' || n, '', 'x', 'ready', now() - make_interval(days => 401, secs => -n) from generate_series(1, ${ROWS}) n;
     insert into dataset_events (subscription_id, dataset_id, event, at)
       select subscription_id, id, 'ready', uploaded_at + interval '2 days' from datasets;
     insert into insight_requests (subscription_id, reference_number, requested_at, requestor)
       select ${id}, 'n ' || n, now() - make_interval(days => case when n < 10000 then 401 else 399 end), 'key' from generate_series(1, ${ROWS}) n;
     insert into sightings (subscription_id, kind, key, at, place)
       select ${id}, 'device', int8send(n), now() - make_interval(days => case when n < 10000 then 33 else 31 end, secs => n), 1 from generate_series(1, ${ROWS}) n;
     insert into usage_days (subscription_id, key_id, day, requests)
       select ${id}, n, current_date - 300, 1 from generate_series(1, ${ROWS}) n;
     insert into pipeline_counts (subscription_id, minute, uploads, ready, invalid, latencies)
       select ${id}, date_trunc('minute', now()) - make_interval(mins => n), 1, 1, '{}', '{}' from generate_series(1, 15000) n;
     analyze`,
  )
  const backup = await opened.owner.transaction(null, { isolationLevel: 'repeatable read' })
  try {
    await backup.raw('set local idle_in_transaction_session_timeout = 0')
    for (const pass of Object.values(PASSES)) await pass() // removes what is due
    const [left] = await queryRows(
      opened.db,
      `select (select count(*)::int from sightings) as sightings, (select count(*)::int from insight_requests) as reads`,
    )
    expect(left).toEqual({ sightings: ROWS - 9_999, reads: ROWS - 9_999 })
    const pages: Record<string, number> = {}
    for (const [name, pass] of Object.entries(PASSES)) pages[name] = await countPages(opened.db, pass)
    expect(Object.entries(pages).filter(([, read]) => read > 200)).toEqual([])
  } finally {
    await backup.rollback()
  }
})

test('one worker at a time gets the turn, and the next one when its time is over', async () => {
  const turns = await Promise.all(Array.from({ length: 8 }, () => takeTurn(opened.owner, 'a task', 55)))
  expect(turns.filter(Boolean)).toHaveLength(1)
  expect(await takeTurn(opened.db, 'another task', 55)).toBe(true)
  await opened.db.raw("update maintenance_turns set begun_at = now() - interval '56 seconds'")
  expect([await takeTurn(opened.db, 'a task', 55), await takeTurn(opened.db, 'a task', 55)]).toEqual([
    true,
    false,
  ])
})
