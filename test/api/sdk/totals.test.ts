import { expect, test } from 'vitest'
import type { Session } from '../../../api/sdk/src/journal.ts'
import { count, emptySegment, MAX_EVENTS } from '../../../api/sdk/src/totals.ts'

const aSession = (members: Partial<Session> = {}): Session => ({
  ...{ nonce: 'n', at: Date.UTC(2026, 10, 22), seen: 0, n: 3, open: { device: 'd' } },
  ...{ fields: [], events: 0, dropped: 0, activeMs: 0 },
  ...members,
})

test('time counts as active while events are less than 30 s apart', () => {
  const session = aSession()
  for (const gapMs of [0, 100, 29_000, 30_000, 600_000, -5]) expect(count(session, gapMs)).toBe(true)
  expect(session).toMatchObject({ events: 6, activeMs: 29_100, dropped: 0 })
})

test('the resolution is the shortest time between two events', () => {
  const session = aSession()
  for (const gapMs of [16, 4.1, 0, -3, 8]) count(session, gapMs)
  expect(session.resolutionMs).toBe(4.1)
})

test('events beyond the limit of the server are counted, not recorded', () => {
  const session = aSession({ events: MAX_EVENTS - 1 })
  expect([1, 1, 1].map((gapMs) => count(session, gapMs))).toEqual([true, false, false])
  expect(session).toMatchObject({ events: MAX_EVENTS, dropped: 2 })
})

test('a segment has the running totals, and no negative duration where the clock was set back', () => {
  const session = aSession({ activeMs: 12.34, resolutionMs: 0.1, dropped: 1 })
  expect(emptySegment(session, 7, session.at + 5_000)).toEqual({
    ...{ v: 1, n: 7, at: session.at + 5_000, events: [] },
    behaviour: {
      startedAt: '2026-11-22T00:00:00.000Z',
      ...{ durationMs: 5_000, activeMs: 12.3, resolutionMs: 0.1, dropped: 1 },
    },
  })
  expect(emptySegment(session, 7, session.at - 5_000).behaviour.durationMs).toBe(0)
})
