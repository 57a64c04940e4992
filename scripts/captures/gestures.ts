import { clamp } from './clamp.ts'
import type { Touch } from './person.ts'
import type { Random } from './random.ts'
import type { Recorder } from './recorder.ts'

export interface Surface {
  readonly widthPx: number
  readonly heightPx: number
  /** A mouse and a keyboard instead of a touch screen. */
  readonly mouse: boolean
  /** Time between two positions of a moving mouse. */
  readonly pointerEveryMs: number
  /** Whether the web SDK records it: with the wheel, and the kind and button of the pointer. */
  readonly web?: boolean
}

/** Gestures besides typing. */
export interface Gestures {
  /** A tap, or a pointer movement and a click. */
  press(x: number, y: number): void
  /** Scrolls the page; by swiping if there is no mouse. */
  scrollBy(distancePx: number): void
  /** A pointer movement without a click. */
  wander(x: number, y: number): void
}

export function createGestures(random: Random, recorder: Recorder, surface: Surface, hand: Touch): Gestures {
  const { widthPx, heightPx } = surface
  const { wait, push } = recorder
  const pointer = { x: widthPx * 0.5, y: heightPx * 0.4 }
  let scrolledTo = 0

  const pushPointer = (phase: string) => {
    push({
      type: 'pointer',
      phase,
      ...(surface.web && phase !== 'move' && { pointer: 'mouse', button: 0 }),
      x: Math.round(pointer.x),
      y: Math.round(pointer.y),
    })
  }
  const pushTouch = (phase: string, x: number, y: number, lift = 1) => {
    push({
      type: 'touch',
      phase,
      finger: 0,
      x: Math.round(clamp(x, 0, widthPx)),
      y: Math.round(clamp(y, 0, heightPx)),
      pressure: Math.round(clamp(random.normal(hand.pressure * lift, 0.04), 0.01, 1) * 100) / 100,
      sizePx: Math.round(clamp(random.normal(hand.sizePx, 3), 4, 120)),
    })
  }

  const wander = (x: number, y: number) => {
    const [fromX, fromY] = [pointer.x, pointer.y]
    const distance = Math.hypot(x - fromX, y - fromY)
    const speed = random.float(1.2, 2.6) // pixels per millisecond
    const steps = clamp(Math.round(distance / speed / surface.pointerEveryMs), 1, 80)
    const bow = random.normal(0, 0.08)
    for (let i = 1; i <= steps; i++) {
      const done = 0.5 - 0.5 * Math.cos((Math.PI * i) / steps) // slow, fast, slow
      const aside = bow * Math.sin(Math.PI * done)
      pointer.x = clamp(fromX + (x - fromX) * done + aside * (y - fromY) + random.normal(0, 0.7), 0, widthPx)
      pointer.y = clamp(fromY + (y - fromY) * done - aside * (x - fromX) + random.normal(0, 0.7), 0, heightPx)
      wait(random.logNormal(surface.pointerEveryMs, 0.3))
      pushPointer('move')
    }
  }

  const swipe = (down: boolean) => {
    let x = random.normal(widthPx * 0.62, widthPx * 0.08)
    let y = heightPx * (down ? 0.72 : 0.35)
    pushTouch('start', x, y)
    const speed = random.logNormal(hand.swipePxPerS, 0.25) * (down ? -1 : 1)
    const moves = random.int(4, 9)
    for (let i = 1; i <= moves; i++) {
      const ms = random.float(14, 34)
      wait(ms)
      x += random.normal(2, 4)
      y += (speed * ms) / 1000
      if (i < moves) pushTouch('move', x, y)
      else pushTouch('end', x, y, 0.4)
    }
  }

  return {
    wander,
    press(x, y) {
      if (surface.mouse) {
        wander(x, y)
        wait(random.logNormal(120, 0.4))
        pushPointer('down')
        wait(random.logNormal(90, 0.25))
        pushPointer('up')
        return
      }
      pushTouch('start', x, y)
      wait(random.logNormal(78, 0.3))
      pushTouch('end', x + random.normal(0, 3), y + random.normal(0, 4), 0.3)
    },
    scrollBy(distancePx) {
      if (!surface.mouse) swipe(distancePx > 0)
      const from = scrolledTo
      scrolledTo = Math.max(0, Math.round(from + distancePx))
      if (scrolledTo === from) return // already at the top
      if (surface.web && surface.mouse) push({ type: 'wheel', dx: 0, dy: scrolledTo - from })
      const steps = random.int(2, 5)
      for (let i = 1; i <= steps; i++) {
        wait(random.logNormal(95, 0.3))
        push({ type: 'scroll', x: 0, y: Math.round(from + ((scrolledTo - from) * i) / steps) })
      }
    },
  }
}
