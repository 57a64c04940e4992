import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordAudit, recordAuditEvents } from '../../../db/audit/audit-events.ts'
import { deliverAuditEvents } from '../../../db/audit/deliver-audit-events.ts'
import { listAuditEvents } from '../../../db/audit/list-audit-events.ts'
import { pruneAuditEvents } from '../../../db/audit/prune-audit-events.ts'
import { listSecurityEventCounts } from '../../../db/audit/security-event-counts.ts'
import { verifyAudit } from '../../../db/audit/verify-audit.ts'
import * as auditTrail from '../../../db/migrations/0016-audit-trail.ts'
import * as opaqueIds from '../../../db/migrations/0026-opaque-ids.ts'
import type { Db } from '../../../db/postgres/database.ts'
import { anActor } from '../../support/actors.ts'
import { withoutTriggers } from '../../support/without-triggers.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let subscriptionId: number
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())
beforeEach(async () => {
  subscriptionId = await bench.openSubscription()
})

const record = (count: number, of = subscriptionId) =>
  recordAuditEvents(
    bench.db,
    Array.from({ length: count }, (_, n) => ({
      subscriptionId: of,
      actor: anActor('ann'),
      action: 'key.create' as const,
      subject: String(n + 1),
      detail: { b: 1, a: { label: 'ä"\\ ', n } },
    })),
  )

const verify = () => verifyAudit(bench.db, subscriptionId)

const asSuperuser = (statement: string) =>
  withoutTriggers(bench.owner, async (trx: Db) =>
    trx.raw(statement.replaceAll(':subscription', String(subscriptionId))),
  )

test('concurrent transactions of a subscription make one chain, which verifies', async () => {
  const other = await bench.openSubscription()
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      bench.db.transaction(async (trx) => {
        const event = { actor: anActor(`writer ${n}`), action: 'key.create', subject: String(n) } as const
        await recordAudit(trx, { subscriptionId: n % 4 === 0 ? other : subscriptionId, ...event })
        if (n % 10 === 3)
          await recordAuditEvents(
            trx,
            [other, subscriptionId].map((id) => ({ subscriptionId: id, ...event })),
          )
      }),
    ),
  )
  expect(await verify()).toMatchObject({ events: 34, pruned: 0, head: { seq: 34 }, problems: [] })
  expect(await verifyAudit(bench.db, other)).toMatchObject({ events: 14, head: { seq: 14 }, problems: [] })
})

test('a transaction that fails leaves no gap', async () => {
  await record(1)
  await expect(
    bench.db.transaction(async (trx) => {
      await recordAudit(trx, { subscriptionId, actor: anActor('ann'), action: 'key.create' })
      throw new Error('fails')
    }),
  ).rejects.toThrow('fails')
  await record(1)
  expect(await verify()).toMatchObject({ events: 2, problems: [] })
})

test('nobody changes or deletes an event, neither the role of web and worker nor the owner of the tables', async () => {
  await record(2)
  for (const table of ['audit_events', 'audit_chain'])
    for (const statement of [
      `update ${table} set subscription_id = subscription_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await expect(bench.db.raw(statement), statement).rejects.toThrow(`permission denied for table ${table}`)
      await expect(bench.owner.raw(statement), statement).rejects.toThrow('append-only')
    }
  expect(await verify()).toMatchObject({ events: 2, problems: [] })
})

describe('verification finds what a superuser did', () => {
  const EVENTS =
    'audit_events e using audit_chain c where c.subscription_id = :subscription and c.event_id = e.id'

  test.for<[what: string, statement: string, problems: object[]]>([
    ...(
      [
        "at = at + interval '1 microsecond'",
        "actor = 'bob'",
        "actor_kind = 'user'",
        'actor_id = 7',
        "address = '::1'",
        "action = 'key.revoke'",
        'subject = null',
        "detail = '{}'",
        "outcome = 'denied'",
      ] as const
    ).map((change): [string, string, object[]] => [
      `changed ${change}`,
      `update audit_events e set ${change} from audit_chain c
         where c.subscription_id = :subscription and c.seq = 3 and e.subscription_id = c.subscription_id and e.id = c.event_id`,
      [{ problem: 'changed', seq: 3, id: expect.any(Number) }],
    ]),
    ['deleted an event', `delete from ${EVENTS} and c.seq = 4`, [{ problem: 'missing', seq: 4 }]],
    [
      'deleted an event with its entry',
      `delete from ${EVENTS} and c.seq = 4; delete from audit_chain where subscription_id = :subscription and seq = 4`,
      [{ problem: 'cut', seq: 4, through: 4 }],
    ],
    [
      'deleted the newest events with their entries',
      `delete from ${EVENTS} and c.seq > 4; delete from audit_chain where subscription_id = :subscription and seq > 4`,
      [{ problem: 'cut', seq: 5, through: 6 }],
    ],
    [
      'deleted the oldest events with their entries',
      `delete from ${EVENTS} and c.seq < 3; delete from audit_chain where subscription_id = :subscription and seq < 3`,
      [{ problem: 'cut', seq: 1, through: 2 }],
    ],
    [
      'exchanged two events',
      `update audit_chain c set event_id = o.event_id from audit_chain o
       where c.subscription_id = :subscription and o.subscription_id = :subscription and c.seq + o.seq = 5 and c.seq in (2, 3)`,
      [
        { problem: 'changed', seq: 2 },
        { problem: 'changed', seq: 3 },
      ],
    ],
    [
      'inserted an event past the chain',
      `insert into audit_events (subscription_id, actor, action) values (:subscription, 'ann', 'key.create')`,
      [{ problem: 'unchained', seq: null, id: expect.any(Number) }],
    ],
    [
      'set the head back with the newest events',
      `delete from ${EVENTS} and c.seq = 6; delete from audit_chain where subscription_id = :subscription and seq = 6;
       update audit_heads set seq = 5 where subscription_id = :subscription`,
      [{ problem: 'head', seq: 5 }],
    ],
    [
      'deleted the head',
      'delete from audit_heads where subscription_id = :subscription',
      [{ problem: 'head', seq: 0 }],
    ],
  ])('%s', async ([, statement, problems]) => {
    await record(6)
    await asSuperuser(statement)
    expect((await verify()).problems).toMatchObject(problems)
  })
})

test('pruning deletes the oldest events of more than a year, and the rest verifies from there', async () => {
  await record(6)
  await asSuperuser(`update audit_events set at = now() - interval '3 years' where subscription_id = :subscription and subject <= '4';
    delete from audit_chain where subscription_id = :subscription; delete from audit_heads where subscription_id = :subscription`)
  await rechain()
  const before = await verify()
  expect(before).toMatchObject({ events: 6, problems: [] })

  expect(await pruneAuditEvents(bench.db, subscriptionId, { days: 1_200, limit: 100 })).toBe(0)
  expect(await pruneAuditEvents(bench.db, subscriptionId, { days: 1_000, limit: 3 })).toBe(3)
  expect(await pruneAuditEvents(bench.db, subscriptionId, { days: 0, limit: 100 })).toBe(1) // the others are of this year
  await record(1)
  expect(await verify()).toMatchObject({ events: 3, pruned: 4, head: { seq: 7 }, problems: [] })
  const [head] = await bench.db('audit_heads').where({ subscription_id: subscriptionId })
  expect(head.pruned_seq).toBe(4)
})

/** Adds the migrations to tables with events, as an upgrade does. */
async function rechain(): Promise<void> {
  await bench.owner.transaction(async (trx) => {
    await opaqueIds.down(trx)
    await auditTrail.down(trx)
    await auditTrail.up(trx)
    await opaqueIds.up(trx)
  })
}

test('an upgrade chains the events that there are, keeps their ids, and does not log them again', async () => {
  const other = await bench.openSubscription()
  await record(3)
  await record(4, other)
  await record(2)
  const rows = await bench
    .db('audit_events')
    .where({ subscription_id: subscriptionId })
    .orderBy('id')
    .pluck('id')
  await rechain()
  await record(2, other)
  await record(1)
  const { events: listed } = await listAuditEvents(bench.db, subscriptionId, { before: undefined, limit: 10 })
  expect(listed.map(({ id }) => id).toReversed()).toEqual([...rows, rows.at(-1) + 1])
  expect(await verify()).toMatchObject({ events: 6, head: { seq: 6 }, problems: [] })
  const seqs: number[] = []
  await deliverAuditEvents(bench.db, 1_000, (events) =>
    seqs.push(...events.filter((one) => one.subscriptionId === subscriptionId).map(({ seq }) => seq)),
  )
  expect(seqs).toEqual([6])
})

test('events are delivered once, in the order of the chain, and counted', async () => {
  await deliverAuditEvents(bench.db, 10_000, () => undefined)
  const actor = anActor('ann')
  const failed = {
    subscriptionId,
    actor,
    action: 'session.login',
    outcome: 'failure',
    detail: { reason: 'wrong_password' },
  } as const
  await recordAuditEvents(bench.db, [
    failed,
    failed,
    { subscriptionId, actor, action: 'dataset.view', subject: 'LN-1' },
  ])
  const count = async () =>
    (await listSecurityEventCounts(bench.db)).find(({ reason }) => reason === 'wrong_password')?.events ?? 0
  const before = await count()

  await expect(
    deliverAuditEvents(bench.db, 100, () => {
      throw new Error('the log is full')
    }),
  ).rejects.toThrow('the log is full')
  const delivered: unknown[] = []
  const deliver = () => deliverAuditEvents(bench.db, 2, (events) => delivered.push(...events))
  expect(await deliver()).toBe(2)
  expect(await deliver()).toBe(1)
  expect(await deliver()).toBe(0)
  expect(delivered).toMatchObject([
    {
      subscriptionId,
      seq: 1,
      action: 'session.login',
      outcome: 'failure',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    { subscriptionId, seq: 2 },
    { subscriptionId, seq: 3, action: 'dataset.view', subject: 'LN-1' },
  ])
  expect(await count()).toBe(before + 2)
})
