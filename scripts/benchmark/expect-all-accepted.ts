import type { LoadResult } from './load/load-plan.ts'
import type { System } from './open-system.ts'

/**
 * Checks that every upload answered with 200 is stored and that there were no other errors: a broken path must not look
 * fast.
 *
 * @throws Error with the difference.
 */
export async function expectAllAccepted(
  system: System,
  result: LoadResult,
  { others = 0 }: { others?: number } = {},
): Promise<void> {
  expectNoFailure(system.name, result)
  const { received, ready, invalid } = await system.countDatasets()
  const stored = received + ready + invalid
  if (stored !== result.ok + others)
    throw new Error(`${system.name} answered ${result.ok + others} uploads with 200 and stored ${stored}`)
}

/** @throws Error unless every request was answered with 200 or 503. */
export function expectNoFailure(name: string, { failed, unanswered }: LoadResult): void {
  if (Object.keys(failed).length > 0) throw new Error(`${name} returned ${JSON.stringify(failed)}`)
  if (unanswered > 0) throw new Error(`${name} left ${unanswered} requests unanswered`)
}

/** @throws Error unless each dataset is ready and has an insight. */
export async function expectAllReady(system: System, count: number): Promise<void> {
  const { ready, invalid, insights } = await system.countDatasets()
  if (ready !== count || invalid > 0 || insights !== count)
    throw new Error(
      `${system.name}: of ${count} datasets, ${ready} are ready, ${insights} have an insight, ${invalid} are invalid`,
    )
}
