import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Platform } from '../../db/capture/capture.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { type DeployedFragment, listFragments } from '../../db/scorecards/fragments.ts'
import { listDefinitions, listScoringVersions, type StagedScorecard } from '../../db/scorecards/scorecards.ts'
import { type CompiledScorecard, compileScorecard } from '../scoring/compile-scorecard.ts'

/** A scorecard in use: a champion's scores are returned, a challenger's are stored but not returned. */
export interface DeployedScorecard {
  readonly code: string
  readonly version: string
  readonly stage: 'champion' | 'challenger'
  readonly platforms: readonly Platform[]
  readonly scorecard: CompiledScorecard
}

/** The scorecards and fragments of a subscription, as of one moment. */
export interface Deployment {
  readonly scorecards: readonly DeployedScorecard[]
  readonly fragments: readonly DeployedFragment[]
}

/** Bound of the cache, in characters of JSON of the definitions; compiled, they take two to three times as many bytes. */
const MAX_CACHED_CHARACTERS = 100_000_000

/** What the smallest scorecard counts as. */
const MIN_CHARACTERS = 10_000

type Compiled = Pick<DeployedScorecard, 'platforms' | 'scorecard'>

type Versioned = Pick<StagedScorecard, 'subscriptionId' | 'version'>

/** Compiled scorecards, by version. */
export type CompiledVersions = ReadonlyMap<string, Compiled>

/** Scorecards and fragments of subscriptions, with a cache of compiled scorecards. */
export interface Deployments {
  /** Finds the current deployments of subscriptions. */
  find(subscriptionIds: readonly number[]): Promise<Map<number, Deployment>>
  /** Finds versions that are or were deployed, on a connection of the caller. */
  findVersions(
    trx: Db,
    versions: readonly { readonly subscriptionId: number; readonly version: string }[],
  ): Promise<CompiledVersions>
}

/** Opens the deployments. A scorecard is fetched and compiled once: a version never changes. */
export function openDeployments(db: Db, log?: Logger, cachedCharacters = MAX_CACHED_CHARACTERS): Deployments {
  const cache = new LRUCache<string, Compiled>({ maxSize: cachedCharacters })

  /** Returns all of them, also those that do not stay in the cache. */
  async function findVersions(source: Db, versions: readonly Versioned[]): Promise<CompiledVersions> {
    const compiled = new Map<string, Compiled>()
    const unknown = new Map<string, Versioned>()
    for (const versioned of versions) {
      const known = cache.get(versioned.version)
      if (known) compiled.set(versioned.version, known)
      else unknown.set(versioned.version, versioned)
    }
    for (const { version, definition } of await listDefinitions(source, [...unknown.values()])) {
      const fresh = { platforms: definition.platforms, scorecard: compileOrSkip(definition, version, log) }
      const size = Math.max(MIN_CHARACTERS, JSON.stringify(definition).length)
      cache.set(version, fresh, { size: Math.min(size, cachedCharacters) }) // the largest one is cached alone
      compiled.set(version, fresh)
    }
    return compiled
  }

  return {
    findVersions,
    async find(subscriptionIds) {
      const [scoring, fragments] = await Promise.all([
        listScoringVersions(db, subscriptionIds),
        listFragments(db, subscriptionIds),
      ])
      const compiled = await findVersions(db, scoring)
      return new Map(
        subscriptionIds.map((id) => [
          id,
          {
            scorecards: scoring.flatMap(({ subscriptionId, code, version, stage }) => {
              const scorecard = compiled.get(version)
              if (subscriptionId !== id || !scorecard || (stage !== 'champion' && stage !== 'challenger'))
                return []
              return [{ code, version, stage, ...scorecard }]
            }),
            fragments: fragments.filter(({ subscriptionId }) => subscriptionId === id),
          },
        ]),
      )
    },
  }
}

/** A scorecard that cannot be compiled has no scores, and delays no dataset. */
function compileOrSkip(definition: Scorecard, version: string, log: Logger | undefined): CompiledScorecard {
  try {
    return compileScorecard(definition)
  } catch (err) {
    log?.error({ err, version }, 'a scorecard cannot be compiled')
    const score = () =>
      ({ value: null, probability: null, reason: 'the scorecard cannot be compiled' }) as const
    return { score, scoreRow: score }
  }
}
