import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/postgres/database.ts'
import { listScorecardTexts, type ScorecardTexts } from '../../db/scorecards/scorecards.ts'

/** Cached versions; a version is immutable. */
const MAX_CACHED = 1_000

/** Finds the texts of scorecards by version. */
export type FindTexts = (
  subscriptionId: number,
  versions: readonly string[],
) => Promise<ReadonlyMap<string, ScorecardTexts>>

/** Opens a cache that reads the texts of each version once. */
export function openTexts(db: Db): FindTexts {
  const cache = new LRUCache<string, ScorecardTexts>({ max: MAX_CACHED })
  return async (subscriptionId, versions) => {
    // the key includes the subscription: it must have deployed the version itself, even if another one has the same version
    const keyOf = (version: string) => `${subscriptionId} ${version}`
    const unknown = versions.filter((version) => !cache.has(keyOf(version)))
    if (unknown.length > 0)
      for (const texts of await listScorecardTexts(db, subscriptionId, unknown))
        cache.set(keyOf(texts.version), texts)
    return new Map(
      versions.flatMap((version) => {
        const texts = cache.get(keyOf(version))
        return texts ? [[version, texts]] : []
      }),
    )
  }
}

/** Returns the text of a reason in the first available language, otherwise in the scorecard's own; null without a text. */
export function textOf(
  { reasons }: ScorecardTexts,
  code: string,
  languages: readonly string[],
): { text: string; language: string } | null {
  const byLanguage = reasons.texts[code] ?? {}
  const known = Object.keys(byLanguage)
  for (const wanted of [...languages, reasons.language]) {
    const language =
      known.find((tag) => tag.toLowerCase() === wanted.toLowerCase()) ??
      known.find((tag) => primary(tag) === primary(wanted))
    const text = language === undefined ? undefined : byLanguage[language]
    if (language !== undefined && text !== undefined) return { text, language }
  }
  return null
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0]
