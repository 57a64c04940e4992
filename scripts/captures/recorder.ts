import type { CaptureEvent } from '../../db/capture/event.ts'
import type { Random } from './random.ts'

/** Records events with a clock; `wait` advances it. */
export interface Recorder {
  readonly events: CaptureEvent[]
  wait(ms: number): void
  push(event: Omit<CaptureEvent, 't'>): void
}

/**
 * @param sensorEveryMs time between two summaries of the motion sensors; a device without them has none
 */
export function createRecorder(random: Random, sensorEveryMs = Number.POSITIVE_INFINITY): Recorder {
  const events: CaptureEvent[] = []
  const stillness = random.float(0.02, 0.35)
  const gravity = random.normal(9.81, 0.03)
  let t = Math.round(random.logNormal(1400, 0.5))
  let nextSensorAt = sensorEveryMs

  const senseMotion = (at: number) => {
    const shake = random.logNormal(stillness, 0.5) // m/s²
    const sensed = { t: at, type: 'sensor' }
    events.push({
      ...sensed,
      sensor: 'accelerometer',
      mean: round(gravity + shake / 20, 3),
      sd: round(shake, 3),
    })
    events.push({ ...sensed, sensor: 'gyroscope', mean: round(shake / 3, 4), sd: round(shake / 5, 4) })
  }

  return {
    events,
    wait(ms) {
      t += Math.max(1, Math.round(ms))
      for (; nextSensorAt < t; nextSensorAt += sensorEveryMs) senseMotion(nextSensorAt)
    },
    push: (event) => events.push({ t, ...event }),
  }
}

function round(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
