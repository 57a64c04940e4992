import type { Extracted, SessionInput } from './extractor.ts'
import { median } from './statistics.ts'
import { SECOND_MS } from './timestamps.ts'

/** A resting pointer sends no moves, so a longer gap has no speed. */
const REST_MS = 1_000

const MIN_SPEEDS = 10

/** Shorter paths to a click are jitter. */
const MIN_PATH_PX = 50

const MIN_PATHS = 3

/**
 * Speed and straightness of pointer movement.
 *
 * Speed needs 10 moves, each 1 ms to 1 s after the previous pointer event. Straightness is the median over the paths
 * that end in a click and start at the previous click or the first move; it needs 3 paths of 50 px or more.
 *
 * @see Gamboa and Fred, A behavioral biometric system based on human-computer interaction (2004), straightness
 */
export function extractPointer({
  events,
}: SessionInput): Extracted<'behaviour_pointer_speed_px_s' | 'behaviour_pointer_straightness'> {
  const speeds: number[] = []
  const ratios: number[] = []
  let lastT: number | undefined
  let [x0, y0, x, y, path] = [0, 0, 0, 0, 0] // start of the path, current position, length of the path

  for (const event of events?.pointers ?? []) {
    if (event.x != null && event.y != null) {
      if (lastT === undefined) {
        x0 = event.x
        y0 = event.y
      } else {
        const step = Math.hypot(event.x - x, event.y - y)
        const ms = event.t - lastT
        if (event.phase === 'move' && ms >= 1 && ms <= REST_MS) speeds.push((step / ms) * SECOND_MS)
        path += step
      }
      x = event.x
      y = event.y
      lastT = event.t
    }
    if (event.phase === 'down') {
      // Rounding can make a straight path shorter than the distance between its ends.
      if (path >= MIN_PATH_PX) ratios.push(Math.min(1, Math.hypot(x - x0, y - y0) / path))
      x0 = x
      y0 = y
      path = 0
    }
  }

  return {
    behaviour_pointer_speed_px_s: median(speeds, MIN_SPEEDS),
    behaviour_pointer_straightness: median(ratios, MIN_PATHS),
  }
}
