import type { Person } from './person.ts'

/** A running erasure. */
export interface ErasureKey {
  readonly subscriptionId: number
  readonly id: string
}

/** A running erasure with what its next step needs. */
export interface Erasure extends ErasureKey {
  readonly person: Person
  /** ISO 8601, to the microsecond. */
  readonly requestedAt: string
  readonly horizon: number
  readonly phase: 'datasets' | 'counters' | 'own'
  readonly hash: string
}

/** What a step left: more to do at once, something to wait for, or nothing. */
export type StepOutcome = 'more' | 'waits' | 'done'
