import { setTimeout as delay } from 'node:timers/promises'

/** Does one short transaction of work. @returns whether more may be due. */
export type Step = () => Promise<boolean>

/** Time after which a pass begins no further round: what is left waits for the next pass. */
const PASS_MS = 60_000

/** Pause after a step, as a share of its time, and the longest one. */
const PAUSE_SHARE = 0.25
const MAX_PAUSE_MS = 500

/**
 * Repeats the steps until nothing more is due, a minute is over, or `signal` aborts: as much as is due, whatever its rate.
 *
 * Steps take turns, one transaction each, so that much work of one subscription does not keep that of another waiting; each is done at least
 * once. After each comes a pause, in which uploads have the database, and longer ones where steps take longer because it is busy.
 */
export async function runSteps(steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + PASS_MS
  let left = steps
  while (left.length > 0 && performance.now() < endsAt) {
    const unfinished: Step[] = []
    for (const step of left) {
      if (signal.aborted) return
      const beganAt = performance.now()
      if (!(await step())) continue
      unfinished.push(step)
      await pause(Math.min(PAUSE_SHARE * (performance.now() - beganAt), MAX_PAUSE_MS), signal)
    }
    left = unfinished
  }
}

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined)
