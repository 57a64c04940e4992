import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Platform } from '../../db/capture/capture.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { type DeployedFragment, listFragments } from '../../db/scorecards/fragments.ts'
import { listDefinitions, listScoringVersions, type StagedScorecard } from '../../db/scorecards/scorecards.ts'
import { listSuspended, suspendVersion } from '../../db/scorecards/suspensions.ts'
import { type CompiledScorecard, compileScorecard } from '../scoring/compile-scorecard.ts'
import { SUSPENDED_SCORECARD, type WatchedScorecard, watchScorecard } from './watch-scorecard.ts'

/** A scorecard in use: a champion's scores are returned, a challenger's are stored but not returned. */
export interface DeployedScorecard {
  readonly code: string
  readonly version: string
  readonly stage: 'champion' | 'challenger'
  readonly platforms: readonly Platform[]
  readonly scorecard: CompiledScorecard
  /** Its scores are absent. */
  readonly suspended?: boolean
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

/** Finds a compiled version of a subscription. */
export type FindCompiled = (versioned: Versioned) => (Compiled & { readonly suspended: boolean }) | undefined

/** Scorecards and fragments of subscriptions, with a cache of compiled scorecards. */
export interface Deployments {
  /** Finds the current deployments of subscriptions. */
  find(subscriptionIds: readonly number[]): Promise<Map<number, Deployment>>
  /** Finds versions that are or were deployed, on a connection of the caller. */
  findVersions(trx: Db, versions: readonly Versioned[]): Promise<FindCompiled>
}

/** Opens the deployments. A scorecard is fetched and compiled once: a version never changes. */
export function openDeployments(db: Db, log?: Logger, cachedCharacters = MAX_CACHED_CHARACTERS): Deployments {
  const cache = new LRUCache<string, Compiled>({ maxSize: cachedCharacters })

  /** A version may be compiled once for several subscriptions, and is suspended for each by itself. */
  const watched = new WeakMap<CompiledScorecard, Map<number, WatchedScorecard>>()

  function watch({ subscriptionId, version }: Versioned, scorecard: CompiledScorecard): WatchedScorecard {
    const ofScorecard = watched.get(scorecard) ?? new Map<number, WatchedScorecard>()
    watched.set(scorecard, ofScorecard)
    const known = ofScorecard.get(subscriptionId)
    if (known) return known
    const fresh = watchScorecard(scorecard, (tookMs) => {
      log?.error({ subscriptionId, version, tookMs }, 'a scorecard is suspended: a row took too long')
      suspendVersion(db, { subscriptionId, version }, 'slow').then(
        () => stored.add(fresh),
        (err) => log?.error({ err, subscriptionId, version }, 'a suspension is not stored'),
      )
    })
    ofScorecard.set(subscriptionId, fresh)
    return fresh
  }

  /** Those whose suspension was stored since they were last found. */
  const stored = new Set<WatchedScorecard>()

  function present(versioned: Versioned, { platforms, scorecard }: Compiled, suspended: boolean) {
    const own = watch(versioned, scorecard)
    if (stored.delete(own)) own.release()
    return { platforms, suspended, scorecard: suspended ? SUSPENDED_SCORECARD : own }
  }

  /** Returns all of them, also those that do not stay in the cache. */
  async function compileVersions(source: Db, versions: readonly Versioned[]): Promise<Map<string, Compiled>> {
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
    async findVersions(source, versions) {
      const compiled = await compileVersions(source, versions)
      const suspended = new Set((await listSuspended(source, versions)).map(nameOf))
      return (versioned) => {
        const found = compiled.get(versioned.version)
        return found && present(versioned, found, suspended.has(nameOf(versioned)))
      }
    },
    async find(subscriptionIds) {
      const [scoring, fragments] = await Promise.all([
        listScoringVersions(db, subscriptionIds),
        listFragments(db, subscriptionIds),
      ])
      const compiled = await compileVersions(db, scoring)
      return new Map(
        subscriptionIds.map((id) => [
          id,
          {
            scorecards: scoring.flatMap(({ subscriptionId, code, version, stage, suspended }) => {
              const found = compiled.get(version)
              if (subscriptionId !== id || !found || (stage !== 'champion' && stage !== 'challenger'))
                return []
              return [{ code, version, stage, ...present({ subscriptionId, version }, found, suspended) }]
            }),
            fragments: fragments.filter(({ subscriptionId }) => subscriptionId === id),
          },
        ]),
      )
    },
  }
}

const nameOf = ({ subscriptionId, version }: Versioned) => `${subscriptionId} ${version}`

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
