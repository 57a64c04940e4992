import { setTimeout as delay } from 'node:timers/promises'
import type { System } from './open-system.ts'

/** Long, because counting costs the measured Postgres processor time; the rows have the exact times. */
const LOOK_EVERY_MS = 200

/** Timeout without progress. */
const PATIENCE_MS = 30_000

/** Resolves when all datasets are settled, with their settlement times in order. */
export async function waitUntilSettled(system: System): Promise<number[]> {
  let [waiting, movedAt] = [Number.POSITIVE_INFINITY, performance.now()]
  for (;;) {
    const { received } = await system.countDatasets()
    if (received === 0) return system.listSettledAt()
    if (received < waiting) [waiting, movedAt] = [received, performance.now()]
    if (performance.now() - movedAt > PATIENCE_MS)
      throw new Error(`${system.name} did not process ${received} datasets`)
    await delay(LOOK_EVERY_MS)
  }
}
