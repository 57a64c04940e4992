import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Platform } from '../../db/capture/capture.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { type DeployedFragment, listFragments } from '../../db/scorecards/fragments.ts'
import { listDefinitions, listScoringVersions, type StagedScorecard } from '../../db/scorecards/scorecards.ts'
import { type CompiledScorecard, compileScorecard } from '../scoring/compile-scorecard.ts'

/** A scorecard that scores: the champion's scores are told, the challenger's are kept in shadow. */
export interface DeployedScorecard {
  readonly code: string
  readonly version: string
  readonly stage: 'champion' | 'challenger'
  readonly platforms: readonly Platform[]
  readonly scorecard: CompiledScorecard
}

/** What a subscription has deployed, as of one moment. */
export interface Deployment {
  readonly scorecards: readonly DeployedScorecard[]
  readonly fragments: readonly DeployedFragment[]
}

/** Characters of JSON of the definitions that are kept ready; made ready, they take two to three times as many bytes. */
const MAX_KEPT_CHARACTERS = 100_000_000

/** Even the smallest one takes so much. */
const LEAST_CHARACTERS = 10_000

type Ready = Pick<DeployedScorecard, 'platforms' | 'scorecard'>

type Versioned = Pick<StagedScorecard, 'subscriptionId' | 'version'>

/** Scorecards made ready, by version. */
export type ReadyScorecards = ReadonlyMap<string, Ready>

/** What scores in this process. */
export interface Deployments {
  /** What these subscriptions have deployed at this moment. */
  find(subscriptionIds: readonly number[]): Promise<Map<number, Deployment>>
  /** Versions that are or were deployed, by a connection of the caller. */
  restore(
    trx: Db,
    versions: readonly { readonly subscriptionId: number; readonly version: string }[],
  ): Promise<ReadyScorecards>
}

/** Opens what scores. A scorecard is fetched and made ready once: a version never changes. */
export function openDeployments(db: Db, log?: Logger, keptCharacters = MAX_KEPT_CHARACTERS): Deployments {
  const kept = new LRUCache<string, Ready>({ maxSize: keptCharacters })

  /** Those that score, by version, whatever else is kept meanwhile. */
  async function makeReady(source: Db, scoring: readonly Versioned[]): Promise<ReadyScorecards> {
    const ready = new Map<string, Ready>()
    const unknown = new Map<string, Versioned>()
    for (const staged of scoring) {
      const known = kept.get(staged.version)
      if (known) ready.set(staged.version, known)
      else unknown.set(staged.version, staged)
    }
    for (const { version, definition } of await listDefinitions(source, [...unknown.values()])) {
      const made = { platforms: definition.platforms, scorecard: compileOrRefuse(definition, version, log) }
      const size = Math.max(LEAST_CHARACTERS, JSON.stringify(definition).length)
      kept.set(version, made, { size: Math.min(size, keptCharacters) }) // the biggest is kept too, if alone
      ready.set(version, made)
    }
    return ready
  }

  return {
    restore: makeReady,
    async find(subscriptionIds) {
      const [scoring, fragments] = await Promise.all([
        listScoringVersions(db, subscriptionIds),
        listFragments(db, subscriptionIds),
      ])
      const ready = await makeReady(db, scoring)
      return new Map(
        subscriptionIds.map((id) => [
          id,
          {
            scorecards: scoring.flatMap(({ subscriptionId, code, version, stage }) => {
              const made = ready.get(version)
              if (subscriptionId !== id || !made || (stage !== 'champion' && stage !== 'challenger'))
                return []
              return [{ code, version, stage, ...made }]
            }),
            fragments: fragments.filter(({ subscriptionId }) => subscriptionId === id),
          },
        ]),
      )
    },
  }
}

/** One scorecard that cannot be made ready has no scores, and holds up no dataset. */
function compileOrRefuse(definition: Scorecard, version: string, log: Logger | undefined): CompiledScorecard {
  try {
    return compileScorecard(definition)
  } catch (err) {
    log?.error({ err, version }, 'a scorecard cannot be made ready')
    const score = () =>
      ({ value: null, probability: null, reason: 'the scorecard cannot be made ready' }) as const
    return { score, scoreRow: score }
  }
}
