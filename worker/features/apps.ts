import type { CaptureApp } from '../../db/capture/capture.ts'
import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory } from './parse-text.ts'
import { share } from './statistics.ts'
import { DAY_MS, elapsed, inUnits, parseTimestamp } from './timestamps.ts'

const SOCIAL: ReadonlySet<string> = new Set(['social', 'communication'])
const PRODUCTIVITY: ReadonlySet<string> = new Set(['productivity', 'business', 'education'])
const GAMBLING: ReadonlySet<string> = new Set(['gambling', 'betting', 'casino', 'game_casino', 'lottery'])
const GAMBLING_WORDS = /(?:^|[._])(?:casino|betting|gambling|sportsbook|lottery|poker|slots)(?:$|[._])/i

/**
 * Applications that the user installed; system applications are excluded throughout.
 *
 * Timestamps after the capture or before 1990 count as missing, and each time feature covers the applications that have
 * the timestamp. Undefined when there are applications but none has it; without applications, counts are 0.
 */
export function extractApps({
  capture,
}: CaptureInput): Extracted<
  | 'apps_count'
  | 'apps_finance_count'
  | 'apps_finance_share'
  | 'apps_gambling_count'
  | 'apps_social_count'
  | 'apps_productivity_count'
  | 'apps_games_count'
  | 'apps_categories_count'
  | 'apps_oldest_days'
  | 'apps_installed_30d_count'
  | 'apps_updated_30d_share'
> {
  const apps = capture.apps?.filter((app) => !app.system)
  const categories = apps
    ?.map((app) => parseCategory(app.category))
    .filter((category) => category !== undefined)
  const count = (matches: (category: string) => boolean) => categories?.filter(matches).length
  const finance = count((category) => category === 'finance')

  const collected = parseTimestamp(capture.collectedAt)
  const installed = agesMs(apps, 'installedAt', collected)
  const updated = agesMs(apps, 'updatedAt', collected)

  return {
    apps_count: apps?.length,
    apps_finance_count: finance,
    apps_finance_share: share(finance, apps?.length),
    apps_gambling_count: apps?.filter(isGambling).length,
    apps_social_count: count((category) => SOCIAL.has(category)),
    apps_productivity_count: count((category) => PRODUCTIVITY.has(category)),
    apps_games_count: count((category) => /^games?(?:_|$)/.test(category)),
    apps_categories_count: categories && new Set(categories).size,
    apps_oldest_days: installed.length
      ? inUnits(
          DAY_MS,
          installed.reduce((a, b) => Math.max(a, b)),
        )
      : undefined,
    apps_installed_30d_count: installed.length || apps?.length === 0 ? recent(installed) : undefined,
    apps_updated_30d_share: share(recent(updated), updated.length),
  }
}

/** By category, or by a whole word of the package name, as store categories cover only casino games. */
function isGambling(app: CaptureApp): boolean {
  return GAMBLING.has(parseCategory(app.category) ?? '') || GAMBLING_WORDS.test(app.package)
}

function agesMs(
  apps: readonly CaptureApp[] = [],
  member: 'installedAt' | 'updatedAt',
  collectedMs: number | undefined,
): number[] {
  const ages: number[] = []
  for (const app of apps) {
    const age = elapsed(parseTimestamp(app[member]), collectedMs)
    if (age !== undefined) ages.push(age)
  }
  return ages
}

function recent(ages: readonly number[]): number {
  return ages.filter((age) => age <= 30 * DAY_MS).length
}
