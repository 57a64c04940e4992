import type { Limits } from '../../db/limits/default-limits.ts'
import type { LimitedUse } from '../../db/limits/limits.ts'
import { beginDueWindow, openWindow, type Quota } from '../http/request-window.ts'
import { limitItem, policyItem } from './limit-fields.ts'
import type { LimitName } from './limit-names.ts'
import { limitProblem } from './limit-problem.ts'

/** Counts of a subscription or a key. */
interface Counts {
  requests: number
  datasets: number
  bytes: number
}

const NO_COUNTS = { requests: 0, datasets: 0, bytes: 0 }

const DAY_MS = 86_400_000

/** Milliseconds after which an upload that was rejected for the bytes stored may be accepted: they are measured again by then. */
const MEASURED_MS = 120_000

/** Milliseconds for which a limit that is reached again is not reported again. */
const REPORT_PAUSE_MS = 60_000

/** A limit that turned a request or a dataset away. */
export interface ReachedLimit {
  readonly subscriptionId: number
  /** 0 for the subscription. */
  readonly keyId: number
  readonly name: LimitName
  readonly quota: number
  /** In UTC, as in 2026-11-23: it may be reported later, as after an outage of Postgres. */
  readonly day: string
}

/** A subscription or a key with its limits and use, as this process knows them. */
export interface Subject {
  readonly subscriptionId: number
  readonly keyId: number
  /** Whether it has any limit. */
  isLimited(): boolean
  /** Whether more is counted than was taken. */
  isDirty(): boolean
  /** Whether datasets are reserved. */
  isReserved(): boolean
  /** @throws Problem `rate_limited` if the limit of requests is reached. */
  requireRequest(at: number): void
  /** @param requests 1 by default */
  countRequest(requests?: number): void
  /** Returns the problem of a further dataset with so many bytes; undefined if it is within the limits. */
  findReached(bytes: number): ReturnType<typeof limitProblem> | undefined
  /** Reserves a dataset, until it is counted or not. */
  reserve(bytes: number): void
  release(bytes: number, isCounted: boolean): void
  countBytes(bytes: number): void
  /** Takes the limits that were reached, each at most once a minute, to report them. */
  takeReached(at: number): ReachedLimit[]
  /** Takes what was counted since the last call, to write it. */
  take(): Counts & { full: boolean }
  /** Ends what `take` began: what was taken is in the next `learn`, or is counted again. */
  settleTaken(isWritten: boolean): void
  /** Takes over limits and use of all processes. Call it after `settleTaken`. */
  learn(use: LimitedUse, limits: Limits): void
  /** Lists its limits with the share of each that is used. */
  listShares(at: number): { limit: LimitName; share: number }[]
  /** Returns the items of header fields; those of datasets and bytes for requests that store. */
  describe(at: number, isStoring: boolean): { policies: readonly string[]; limits: readonly string[] }
}

/** The day of UTC, as days since 1970. */
const dayOf = (timestamp: number) => Math.floor(timestamp / DAY_MS)

export function openSubject(subscriptionId: number, keyId: number): Subject {
  const owner = keyId === 0 ? 'subscription' : 'key'
  const names = {
    requests: `${owner}-requests`,
    datasets: `${owner}-datasets`,
    bytes: 'subscription-bytes', // a key has no limit of them
  } as const
  let policies: { requests: readonly string[]; all: readonly string[] } = { requests: [], all: [] }
  const window = openWindow()
  let limits: Limits = { requests: null, datasetsPerDay: null, bytesStored: null }
  let quota: Quota | undefined
  /** All processes, as last read; undefined before. */
  let known: { day: number; requests: number; datasets: number; bytes: number } | undefined
  let pending: Counts = { ...NO_COUNTS }
  let taken: Counts = { ...NO_COUNTS }
  const reserved = { datasets: 0, bytes: 0 }
  let isFull = false
  const reached = new Map<LimitName, Pick<ReachedLimit, 'quota' | 'day'>>()
  const reportedAt = new Map<LimitName, number>()

  const reach: typeof limitProblem = (name, limit, retryMs) => {
    reached.set(name, { quota: limit, day: new Date().toISOString().slice(0, 10) })
    return limitProblem(name, limit, retryMs)
  }
  const datasetsOn = (day: number) =>
    (known?.day === day ? known.datasets : 0) + taken.datasets + pending.datasets + reserved.datasets
  const bytes = () => (known?.bytes ?? 0) + taken.bytes + pending.bytes + reserved.bytes

  return {
    subscriptionId,
    keyId,
    isLimited: () =>
      limits.requests !== null || limits.datasetsPerDay !== null || limits.bytesStored !== null,
    isDirty: () => pending.requests + pending.datasets + pending.bytes > 0 || isFull,
    isReserved: () => reserved.datasets > 0,
    requireRequest(at) {
      if (!quota) return
      beginDueWindow(window, quota, at)
      if (window.used < quota.requests) return
      const debtMs = Math.floor(window.used / quota.requests - 1) * quota.windowMs
      throw reach(names.requests, quota.requests, window.endsAt - at + debtMs)
    },
    countRequest(requests = 1) {
      window.used += requests
      pending.requests += requests
    },
    findReached(more) {
      const { datasetsPerDay, bytesStored } = limits
      if (datasetsPerDay !== null) {
        const now = Date.now()
        if (datasetsOn(dayOf(now)) >= datasetsPerDay)
          return reach(names.datasets, datasetsPerDay, DAY_MS - (now % DAY_MS))
      }
      if (bytesStored === null || bytes() + more <= bytesStored) return undefined
      isFull = true
      return reach(names.bytes, bytesStored, MEASURED_MS)
    },
    reserve(more) {
      reserved.datasets++
      reserved.bytes += more
    },
    release(more, isCounted) {
      reserved.datasets--
      reserved.bytes -= more
      if (!isCounted) return
      pending.datasets++
      pending.bytes += more
    },
    countBytes(more) {
      pending.bytes += more
    },
    takeReached(at) {
      const due = [...reached].filter(
        ([name]) => at - (reportedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= REPORT_PAUSE_MS,
      )
      reached.clear()
      for (const [name] of due) reportedAt.set(name, at)
      return due.map(([name, limit]) => ({ subscriptionId, keyId, name, ...limit }))
    },
    take() {
      taken = pending
      pending = { ...NO_COUNTS }
      const full = isFull
      isFull = false
      return { ...taken, full }
    },
    settleTaken(isWritten) {
      const into = isWritten ? known : pending
      if (into) {
        into.requests += taken.requests
        into.datasets += taken.datasets
        into.bytes += taken.bytes
      }
      taken = { ...NO_COUNTS }
    },
    learn(use, effective) {
      const day = dayOf(Date.parse(use.day))
      const others = known?.day === day ? Math.max(0, use.requests - known.requests) : 0
      window.used += others
      known = { day, requests: use.requests, datasets: use.datasets, bytes: use.bytes }
      limits = effective
      quota = limits.requests
        ? {
            requests: limits.requests.burst,
            windowMs: (limits.requests.burst / limits.requests.perSecond) * 1_000,
          }
        : undefined
      const { datasetsPerDay, bytesStored } = limits
      const requests = quota ? [policyItem(names.requests, quota.requests, quota.windowMs / 1_000)] : []
      policies = {
        requests,
        all: [
          ...requests,
          ...(datasetsPerDay === null ? [] : [policyItem(names.datasets, datasetsPerDay, DAY_MS / 1_000)]),
          ...(bytesStored === null ? [] : [policyItem(names.bytes, bytesStored, undefined)]),
        ],
      }
    },
    listShares(at) {
      const { datasetsPerDay, bytesStored } = limits
      return [
        ...(quota
          ? [{ limit: names.requests, share: at < window.endsAt ? window.used / quota.requests : 0 }]
          : []),
        ...(datasetsPerDay === null
          ? []
          : [{ limit: names.datasets, share: datasetsOn(dayOf(Date.now())) / datasetsPerDay }]),
        ...(bytesStored === null ? [] : [{ limit: names.bytes, share: bytes() / bytesStored }]),
      ]
    },
    describe(at, isStoring) {
      const items: string[] = []
      if (quota) {
        beginDueWindow(window, quota, at)
        items.push(limitItem(names.requests, quota.requests - window.used, window.endsAt - at))
      }
      const { datasetsPerDay, bytesStored } = limits
      if (isStoring && datasetsPerDay !== null) {
        const now = Date.now()
        items.push(
          limitItem(names.datasets, datasetsPerDay - datasetsOn(dayOf(now)), DAY_MS - (now % DAY_MS)),
        )
      }
      if (isStoring && bytesStored !== null)
        items.push(limitItem(names.bytes, bytesStored - bytes(), undefined))
      return { policies: isStoring ? policies.all : policies.requests, limits: items }
    },
  }
}
