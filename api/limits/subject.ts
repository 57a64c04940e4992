import type { Limits } from '../../db/limits/default-limits.ts'
import type { LimitedUse } from '../../db/limits/limits.ts'
import { beginDueWindow, openWindow, type Quota } from '../http/request-window.ts'
import type { LimitState } from './limit-fields.ts'
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
  countRequest(): void
  /** Returns the problem of a further dataset with so many bytes; undefined if it is within the limits. */
  findReached(bytes: number): ReturnType<typeof limitProblem> | undefined
  /** Reserves a dataset, until it is counted or not. */
  reserve(bytes: number): void
  release(bytes: number, isCounted: boolean): void
  countBytes(bytes: number): void
  /** Takes what was counted since the last call, to write it. */
  take(): Counts & { full: boolean }
  /** Ends what `take` began: what was taken is in the next `learn`, or is counted again. */
  settleTaken(isWritten: boolean): void
  /** Takes over limits and use of all processes. Call it after `settleTaken`. */
  learn(use: LimitedUse, limits: Limits): void
  /** Lists the limits with what is left; those of datasets and bytes for requests that store. */
  list(at: number, isStoring: boolean): LimitState[]
}

/** The day of UTC as the database writes it, and the milliseconds until it ends. */
function today(): { day: string; endsInMs: number } {
  const now = Date.now()
  return { day: new Date(now).toISOString().slice(0, 10), endsInMs: DAY_MS - (now % DAY_MS) }
}

export function openSubject(subscriptionId: number, keyId: number): Subject {
  const owner = keyId === 0 ? 'subscription' : 'key'
  const name = (kind: 'requests' | 'datasets' | 'bytes') => `${owner}-${kind}` as LimitName
  const window = openWindow()
  let limits: Limits = { requests: null, datasetsPerDay: null, bytesStored: null }
  let quota: Quota | undefined
  /** All processes, as last read; undefined before. */
  let known: { day: string; requests: number; datasets: number; bytes: number } | undefined
  let pending: Counts = { ...NO_COUNTS }
  let taken: Counts = { ...NO_COUNTS }
  const reserved = { datasets: 0, bytes: 0 }
  let isFull = false

  const datasetsOf = (day: string) =>
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
      throw limitProblem(name('requests'), quota.requests, window.endsAt - at + debtMs)
    },
    countRequest() {
      window.used++
      pending.requests++
    },
    findReached(more) {
      const { day, endsInMs } = today()
      if (limits.datasetsPerDay !== null && datasetsOf(day) >= limits.datasetsPerDay)
        return limitProblem(name('datasets'), limits.datasetsPerDay, endsInMs)
      if (limits.bytesStored === null || bytes() + more <= limits.bytesStored) return undefined
      isFull = true
      return limitProblem(name('bytes'), limits.bytesStored, MEASURED_MS)
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
      const others = known?.day === use.day ? Math.max(0, use.requests - known.requests) : 0
      window.used += others
      known = { day: use.day, requests: use.requests, datasets: use.datasets, bytes: use.bytes }
      limits = effective
      quota = limits.requests
        ? {
            requests: limits.requests.burst,
            windowMs: (limits.requests.burst / limits.requests.perSecond) * 1_000,
          }
        : undefined
    },
    list(at, isStoring) {
      const states: LimitState[] = []
      if (quota) {
        beginDueWindow(window, quota, at)
        states.push({
          ...{ name: name('requests'), quota: quota.requests, windowSeconds: quota.windowMs / 1_000 },
          ...{ remaining: quota.requests - window.used, resetSeconds: (window.endsAt - at) / 1_000 },
        })
      }
      if (!isStoring) return states
      const { day, endsInMs } = today()
      if (limits.datasetsPerDay !== null)
        states.push({
          ...{ name: name('datasets'), quota: limits.datasetsPerDay, windowSeconds: DAY_MS / 1_000 },
          ...{ remaining: limits.datasetsPerDay - datasetsOf(day), resetSeconds: endsInMs / 1_000 },
        })
      if (limits.bytesStored !== null)
        states.push({
          ...{ name: name('bytes'), quota: limits.bytesStored, windowSeconds: undefined },
          ...{ remaining: limits.bytesStored - bytes(), resetSeconds: undefined },
        })
      return states
    },
  }
}
