import type { CaptureEvent } from '../../db/capture/event.ts'
import type { Extracted, SessionInput } from './extractor.ts'
import { median } from './statistics.ts'
import { SECOND_MS } from './timestamps.ts'

/** Minimum samples of pressure and size for a median. */
const MIN_SAMPLES = 5

const MIN_SWIPES = 3

/**
 * A shorter movement is a tap: 8 dp on a screen of density 3.
 *
 * @see https://developer.android.com/reference/android/view/ViewConfiguration#getScaledTouchSlop()
 */
const SLOP_PX = 24

/**
 * Pressure, size and speed of touches.
 *
 * Pressure and size need 5 samples from fingers that are down (on lifting, they drop to 0); screens that cannot measure
 * them report 0, which is skipped. Speed needs 3 swipes of 24 px or more, each lasting 1 ms or more.
 */
export function extractTouch({
  events,
}: SessionInput): Extracted<
  'behaviour_touch_pressure' | 'behaviour_touch_size_px' | 'behaviour_touch_speed_px_s'
> {
  const pressures: number[] = []
  const sizes: number[] = []
  const speeds: number[] = []
  const down: (CaptureEvent | undefined)[] = [] // by finger
  for (const event of events?.touches ?? []) {
    const finger = event.finger ?? 0
    if (event.phase === 'start' || event.phase === 'move') {
      if (event.pressure) pressures.push(event.pressure)
      if (event.sizePx && event.sizePx > 0) sizes.push(event.sizePx)
    }
    if (event.phase === 'start') down[finger] = event
    if (event.phase === 'end') {
      const speed = swipeSpeed(down[finger], event)
      if (speed !== undefined) speeds.push(speed)
    }
    if (event.phase === 'end' || event.phase === 'cancel') down[finger] = undefined
  }

  return {
    behaviour_touch_pressure: median(pressures, MIN_SAMPLES),
    behaviour_touch_size_px: median(sizes, MIN_SAMPLES),
    behaviour_touch_speed_px_s: median(speeds, MIN_SWIPES),
  }
}

/** In px/s; undefined for taps. */
function swipeSpeed(start: CaptureEvent | undefined, end: CaptureEvent): number | undefined {
  if (start?.x == null || start.y == null || end.x == null || end.y == null) return undefined
  const distance = Math.hypot(end.x - start.x, end.y - start.y)
  const ms = end.t - start.t
  return distance >= SLOP_PX && ms >= 1 ? (distance / ms) * SECOND_MS : undefined
}
