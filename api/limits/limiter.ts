import { type DefaultLimits, effectiveLimits } from '../../db/limits/default-limits.ts'
import { findLimitedUse, WHOLE } from '../../db/limits/limits.ts'
import { addUse, recordKeyUse } from '../../db/limits/use.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Problem } from '../http/problem.ts'
import type { LimitName } from './limit-names.ts'
import { reportReached } from './report-reached.ts'
import { openSubject, type Subject } from './subject.ts'

/** Use of a limit by the active subscriptions or keys that have it. */
export interface LimitUse {
  readonly limit: LimitName
  /** Largest share that one has used: 1 at the limit, and possibly a little more. */
  readonly largest: number
  /** How many have reached it. */
  readonly reached: number
}

/** What counts against limits: a key of a subscription, or the subscription alone. */
export interface Owner {
  readonly subscriptionId: number
  readonly keyId?: number
}

/** A dataset that counts against the limits while it is being stored. */
export interface Reservation {
  /** The dataset is stored: it counts. */
  keep(): void
  /** It is not, or was before. A second call, or one after `keep`, changes nothing. */
  release(): void
}

/**
 * Limits and use of subscriptions and keys. Decisions are made in memory; what other processes admit is known within a second.
 *
 * While the database is unavailable, they go on by what is known. A subscription or key that this process has just seen for the first
 * time, or after a pause, has no limits for the milliseconds in which they are read.
 */
export interface Limiter {
  /** Counts a request. @throws Problem `rate_limited`. */
  countRequest(owner: Owner): void
  /**
   * Counts what a request that was admitted asks for besides its first read. It may exceed the limit: the requests that follow then wait
   * for as much longer.
   */
  countFurtherRequests(owner: Owner, requests: number): void
  /** Records that a key was used, without counting a request. */
  noteKeyUse(owner: Owner): void
  /** Reserves a dataset. @returns the problem instead if a limit is reached. */
  reserve(owner: Owner, bytes: number): Reservation | Problem
  /** Returns the problem `rate_limited` of one more dataset; undefined if it is within the limits. Reserves nothing. */
  findReached(owner: Owner): Problem | undefined
  /** Counts bytes that were stored for a dataset to be. */
  countBytes(owner: Owner, bytes: number): void
  /** Returns the header fields of the limits; undefined without any. */
  describe(owner: Owner, isStoring: boolean): { policy: string; limit: string } | undefined
  /** Lists the use of each limit, as far as this process knows it. */
  listUse(): LimitUse[]
  /**
   * Writes what was counted, reads limits and use of all processes, and reports the limits that were reached. What cannot be counted is retried
   * by the next call.
   *
   * @param all also of subscriptions and keys without limits, which take turns of 5 s.
   */
  sync(options?: { all: boolean }): Promise<void>
}

/** Milliseconds after which limits and use are read before others need them: subjects in use are read every 1 to 5 s. */
const STALE_MS = 10_000

/** Pause between two reads of a subject without limits. */
const UNLIMITED_PAUSE_MS = 4_500

/** Pause between two records of the use of a key. */
const USE_PAUSE_MS = 60_000

/** Unused subjects are forgotten after this time. Those in use are as many as there are keys in use, 500 bytes each. */
const IDLE_MS = 600_000

interface Tracked {
  readonly subject: Subject
  usedAt: number
  readAt: number
  isReading: boolean
  /** When the use of the key was last recorded. */
  recordedAt: number
}

const never = Number.NEGATIVE_INFINITY

/** @param onError receives errors of reads that no call waits for. */
export function openLimiter(
  db: Db,
  defaults: DefaultLimits,
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Limiter {
  /** By subscription and key. */
  const tracked = new Map<number, Map<number, Tracked>>()
  let due: Tracked[] = []
  /** One statement at a time: a read must not overtake a write. */
  let running: Promise<void> = Promise.resolve()

  function inTurn(work: () => Promise<void>): Promise<void> {
    const result = running.then(work)
    running = result.catch(() => undefined)
    return result
  }

  function track(subscriptionId: number, keyId: number): Subject {
    const at = now()
    let one = tracked.get(subscriptionId)?.get(keyId)
    if (!one) {
      one = {
        subject: openSubject(subscriptionId, keyId),
        ...{ usedAt: at, readAt: never, isReading: false, recordedAt: never },
      }
      const others = tracked.get(subscriptionId)
      if (others) others.set(keyId, one)
      else tracked.set(subscriptionId, new Map([[keyId, one]]))
    }
    one.usedAt = at
    if (at - one.readAt > STALE_MS && !one.isReading) {
      one.isReading = true
      if (due.push(one) === 1) setImmediate(readDue)
    }
    return one.subject
  }

  function readDue(): void {
    const taken = due
    due = []
    inTurn(() => read(taken)).catch(onError)
  }

  async function read(some: readonly Tracked[]): Promise<void> {
    try {
      const found = await findLimitedUse(
        db,
        some.map(({ subject }) => subject),
      )
      const readAt = now()
      for (const use of found) {
        const one = tracked.get(use.subscriptionId)?.get(use.keyId)
        if (!one) continue
        one.subject.learn(
          use,
          effectiveLimits(use.settings, use.keyId === WHOLE ? defaults.subscription : defaults.key),
        )
        one.readAt = readAt
      }
      await recordUse(some, readAt)
    } finally {
      for (const one of some) one.isReading = false
    }
  }

  async function recordUse(some: readonly Tracked[], at: number): Promise<void> {
    const used = some.filter(
      ({ subject, usedAt, recordedAt }) =>
        subject.keyId !== WHOLE && usedAt > recordedAt && at - recordedAt >= USE_PAUSE_MS,
    )
    for (const one of used) one.recordedAt = at
    await recordKeyUse(
      db,
      used.map(({ subject }) => subject),
    )
  }

  async function syncNow(all: boolean): Promise<void> {
    const at = now()
    const some = [...tracked.values()]
      .flatMap((ofOne) => [...ofOne.values()])
      .filter(
        ({ subject, usedAt, readAt }) =>
          (usedAt > readAt || subject.isDirty()) &&
          (all || subject.isLimited() || at - readAt >= UNLIMITED_PAUSE_MS),
      )
    if (some.length > 0) {
      const dirty = some.map(({ subject }) => subject).filter((subject) => subject.isDirty())
      const use = dirty.map((subject) => ({
        ...{ subscriptionId: subject.subscriptionId, keyId: subject.keyId },
        ...subject.take(),
      }))
      let isWritten = false
      try {
        if (use.length > 0) await addUse(db, use)
        isWritten = true
      } finally {
        for (const subject of dirty) subject.settleTaken(isWritten)
      }
      await read(some)
    }
    for (const [subscriptionId, ofOne] of tracked) {
      for (const [keyId, { subject, usedAt }] of ofOne)
        if (at - usedAt > IDLE_MS && !subject.isDirty() && !subject.isReserved()) ofOne.delete(keyId)
      if (ofOne.size === 0) tracked.delete(subscriptionId)
    }
    await reportReached(
      db,
      some.flatMap(({ subject }) => subject.takeReached(at)),
    )
  }

  const subjectsOf = ({ subscriptionId, keyId }: Owner): Subject[] =>
    keyId === undefined
      ? [track(subscriptionId, WHOLE)]
      : [track(subscriptionId, keyId), track(subscriptionId, WHOLE)]

  return {
    countRequest(owner) {
      const subjects = subjectsOf(owner)
      const at = now()
      for (const subject of subjects) subject.requireRequest(at)
      for (const subject of subjects) subject.countRequest()
    },
    countFurtherRequests(owner, requests) {
      for (const subject of subjectsOf(owner)) subject.countRequest(requests)
    },
    noteKeyUse: (owner) => void subjectsOf(owner),
    reserve(owner, bytes) {
      const subjects = subjectsOf(owner)
      for (const subject of subjects) {
        const reached = subject.findReached(bytes)
        if (reached) return reached
      }
      for (const subject of subjects) subject.reserve(bytes)
      let isOpen = true
      const end = (isCounted: boolean) => {
        if (isOpen) for (const subject of subjects) subject.release(bytes, isCounted)
        isOpen = false
      }
      return { keep: () => end(true), release: () => end(false) }
    },
    findReached(owner) {
      for (const subject of subjectsOf(owner)) {
        const reached = subject.findReached(0)
        if (reached) return reached
      }
      return undefined
    },
    countBytes({ subscriptionId }, bytes) {
      track(subscriptionId, WHOLE).countBytes(bytes)
    },
    describe(owner, isStoring) {
      const subjects = subjectsOf(owner).filter((subject) => subject.isLimited())
      if (subjects.length === 0) return undefined
      const at = now()
      const fields = subjects.map((subject) => subject.describe(at, isStoring))
      const policy = fields.flatMap(({ policies }) => policies).join(', ')
      return policy === '' ? undefined : { policy, limit: fields.flatMap(({ limits }) => limits).join(', ') }
    },
    listUse() {
      const at = now()
      const uses = new Map<LimitName, LimitUse>()
      for (const ofOne of tracked.values())
        for (const { subject } of ofOne.values())
          for (const { limit, share } of subject.listShares(at)) {
            const { largest, reached } = uses.get(limit) ?? { largest: 0, reached: 0 }
            uses.set(limit, {
              limit,
              largest: Math.max(largest, share),
              reached: reached + (share >= 1 ? 1 : 0),
            })
          }
      return [...uses.values()]
    },
    sync: ({ all } = { all: false }) => inTurn(() => syncNow(all)),
  }
}
