import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/postgres/database.ts'
import { listScorecardTexts, type ScorecardTexts } from '../../db/scorecards/scorecards.ts'

/** Versions kept; a version never changes. */
const MAX_CACHED = 1_000

/** Finds what scorecards say in words, by version. */
export type FindTexts = (
  subscriptionId: number,
  versions: readonly string[],
) => Promise<ReadonlyMap<string, ScorecardTexts>>

/** Reads each version's texts once. */
export function openTexts(db: Db): FindTexts {
  const cache = new LRUCache<string, ScorecardTexts>({ max: MAX_CACHED })
  return async (subscriptionId, versions) => {
    // another subscription's may have the same version, and the same texts: it must have deployed it itself all the same
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

/** A text of a reason in the first of the languages that there is, else in the scorecard's own; null without any. */
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
