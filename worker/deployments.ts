import type { Db } from '../db/database.ts'
import { type DeployedFragment, listFragments } from '../db/fragments.ts'
import type { Scorecard } from '../db/scorecard.ts'
import { listDefinitions, listScorecards } from '../db/scorecards.ts'

/** What a subscription has deployed, as of one moment. */
export interface Deployment {
  readonly scorecards: readonly {
    readonly code: string
    readonly version: string
    readonly definition: Scorecard
  }[]
  readonly fragments: readonly DeployedFragment[]
}

/** Definitions kept at most; they are small and few. */
const MAX_KEPT = 1_000

/** Reads what subscriptions have deployed. A definition is fetched once: a version never changes. */
export function openDeployments(db: Db): {
  find(subscriptionIds: readonly number[]): Promise<Map<number, Deployment>>
} {
  const definitions = new Map<string, Scorecard>()

  async function fetchDefinitions(versions: readonly string[]): Promise<void> {
    const unknown = versions.filter((version) => !definitions.has(version))
    if (unknown.length === 0) return
    if (definitions.size + unknown.length > MAX_KEPT) definitions.clear()
    for (const { version, definition } of await listDefinitions(db, versions))
      definitions.set(version, definition)
  }

  return {
    async find(subscriptionIds) {
      const [scorecards, fragments] = await Promise.all([
        listScorecards(db, subscriptionIds),
        listFragments(db, subscriptionIds),
      ])
      await fetchDefinitions([...new Set(scorecards.map(({ version }) => version))])
      return new Map(
        subscriptionIds.map((id) => [
          id,
          {
            scorecards: scorecards
              .filter(({ subscriptionId }) => subscriptionId === id)
              .flatMap(({ code, version }) => {
                const definition = definitions.get(version)
                // gone when it was replaced between the two queries: this group is scored by what is left
                return definition ? [{ code, version, definition }] : []
              }),
            fragments: fragments.filter(({ subscriptionId }) => subscriptionId === id),
          },
        ]),
      )
    },
  }
}
