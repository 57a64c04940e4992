import { PER_WORKER, scaled, WORKERS } from './simulation-plan.ts'

/** Values by which a rule decides. */
export interface Observation {
  /** Of the day, 0 to 24. */
  readonly hour: number
  /** Workers that process datasets; one that is starting does not. */
  readonly running: number
  readonly datasetsWaiting: number
  readonly oldestSeconds: number
  readonly waitSeconds: number
}

/** Decides how many workers should run. */
export interface Rule {
  readonly name: RuleName
  readonly describe: string
  /** Returns the desired number of workers, of any size: `stabilise` limits it. */
  desire(observation: Observation): number
}

export const RULE_NAMES = ['schedule', 'queue-size', 'age', 'drain'] as const

export type RuleName = (typeof RULE_NAMES)[number]

/** Hours of the schedule with the highest number of workers. */
const BUSY = { from: 8, until: 22.5 }

/** Seconds of work for one worker, by which the size of the queue is divided. */
const QUEUE_SECONDS = 30

/** Seconds of age for each worker. */
const AGE_SECONDS = 15

/** Seconds to wait that are accepted. */
const TARGET_SECONDS = 30

/** Kubernetes does not change the number of pods for a smaller deviation from the target. */
const TOLERANCE = 0.1

/** Rules by name, with the times of a real day in their descriptions. */
export const RULES: Readonly<Record<RuleName, Rule>> = {
  schedule: {
    name: 'schedule',
    describe: `${WORKERS.max} workers from ${BUSY.from}:00 to 22:30, otherwise ${WORKERS.min}`,
    desire: ({ hour }) => (hour >= BUSY.from && hour < BUSY.until ? WORKERS.max : WORKERS.min),
  },
  'queue-size': {
    name: 'queue-size',
    describe: `a worker for each ${QUEUE_SECONDS * PER_WORKER} waiting datasets (${QUEUE_SECONDS} s of its work)`,
    desire: ({ datasetsWaiting }) => Math.ceil(datasetsWaiting / (scaled(QUEUE_SECONDS) * PER_WORKER)),
  },
  age: {
    name: 'age',
    describe: `a worker for each ${AGE_SECONDS} s that the oldest dataset has waited`,
    desire: ({ oldestSeconds }) => Math.ceil(oldestSeconds / scaled(AGE_SECONDS)),
  },
  drain: {
    name: 'drain',
    describe: `as many times the running workers as \`waitSeconds\` is times ${TARGET_SECONDS} s`,
    desire({ running, waitSeconds }) {
      const ratio = waitSeconds / scaled(TARGET_SECONDS)
      return Math.abs(ratio - 1) <= TOLERANCE ? running : Math.ceil(running * ratio)
    },
  },
}
