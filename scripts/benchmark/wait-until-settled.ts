import { setTimeout as delay } from 'node:timers/promises'
import type { System } from './open-system.ts'

/** Rare, since counting costs the system that is measured; the rows tell the exact time. */
const LOOK_EVERY_MS = 50

/** Without any progress. */
const PATIENCE_MS = 30_000

/** Resolves when no dataset waits any more, with the times at which they were settled, in order. */
export async function waitUntilSettled(system: System): Promise<number[]> {
  let [waiting, movedAt] = [Number.POSITIVE_INFINITY, performance.now()]
  for (;;) {
    const { received } = await system.countDatasets()
    if (received === 0) return system.listSettledAt()
    if (received < waiting) [waiting, movedAt] = [received, performance.now()]
    if (performance.now() - movedAt > PATIENCE_MS)
      throw new Error(`${system.name} leaves ${received} datasets waiting`)
    await delay(LOOK_EVERY_MS)
  }
}
