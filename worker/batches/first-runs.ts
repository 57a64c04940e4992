import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Platform } from '../../db/capture/capture.ts'
import type { Db } from '../../db/postgres/database.ts'
import { endFirstRuns, startFirstRuns, suspendVersion } from '../../db/scorecards/suspensions.ts'
import type { Deployment } from './deployments.ts'
import { SUSPENDED_SCORECARD } from './watch-scorecard.ts'

/**
 * Leaves a mark in the database while this process evaluates a version for the first time. If the process dies with it, the mark
 * stays, and after some of them the version is suspended. Costs a query per process and version, none per batch.
 */
export interface FirstRuns {
  /** Does the work with the deployments, without the versions that other processes died with. */
  during<T>(
    deployed: ReadonlyMap<number, Deployment>,
    platforms: ReadonlySet<Platform>,
    work: (deployed: ReadonlyMap<number, Deployment>) => Promise<T>,
  ): Promise<T>
}

interface FirstRun {
  readonly subscriptionId: number
  readonly version: string
}

const nameOf = ({ subscriptionId, version }: FirstRun) => `${subscriptionId} ${version}`

export function openFirstRuns(db: Db, log?: Logger): FirstRuns {
  const process = randomUUID()
  const proven = new Set<string>()

  function listUnproven(deployed: ReadonlyMap<number, Deployment>, platforms: ReadonlySet<Platform>) {
    const unproven = new Map<string, FirstRun>()
    for (const [subscriptionId, { scorecards }] of deployed)
      for (const { version, platforms: of, suspended } of scorecards) {
        const run = { subscriptionId, version }
        if (!suspended && !proven.has(nameOf(run)) && of.some((platform) => platforms.has(platform)))
          unproven.set(nameOf(run), run)
      }
    return [...unproven.values()]
  }

  async function suspend(lost: readonly FirstRun[]): Promise<void> {
    for (const { subscriptionId, version } of lost) {
      await suspendVersion(db, { subscriptionId, version }, 'died')
      log?.error({ subscriptionId, version }, 'a scorecard is suspended: processes died with it')
    }
  }

  return {
    async during(deployed, platforms, work) {
      const runs = listUnproven(deployed, platforms)
      if (runs.length === 0) return work(deployed)
      const lost = await startFirstRuns(db, process, runs)
      await suspend(lost)
      try {
        return await work(withoutVersions(deployed, new Set(lost.map(nameOf))))
      } finally {
        for (const run of runs) proven.add(nameOf(run)) // the process lives
        await endFirstRuns(db, runs).catch((err) => log?.error({ err }, 'marks of first runs'))
      }
    },
  }
}

function withoutVersions(
  deployed: ReadonlyMap<number, Deployment>,
  lost: ReadonlySet<string>,
): ReadonlyMap<number, Deployment> {
  if (lost.size === 0) return deployed
  return new Map(
    [...deployed].map(([subscriptionId, { scorecards, ...deployment }]) => [
      subscriptionId,
      {
        ...deployment,
        scorecards: scorecards.map((one) =>
          lost.has(nameOf({ subscriptionId, version: one.version }))
            ? { ...one, suspended: true, scorecard: SUSPENDED_SCORECARD }
            : one,
        ),
      },
    ]),
  )
}
