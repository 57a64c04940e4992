import type { CaptureApp } from '../../db/capture/capture.ts'
import type { AndroidPhone } from './android-device.ts'
import { APPS } from './apps.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'
import { listMakerApps, PLATFORM_APPS } from './system-apps.ts'

/** An app on a phone with its installation time. */
interface InstalledApp {
  readonly package: string
  readonly category: string
  readonly system: boolean
  readonly installedAt: number
  readonly updatable: boolean
}

const DAY_MS = 86_400_000

/** Modification time of files in an Android system image: the zip epoch of its build system. */
const SYSTEM_IMAGE_AT = Date.UTC(2009, 0, 1)

/**
 * Lists the apps on a phone, those of the person and of the system, in the order of installation.
 *
 * @param random the same source for every capture of the phone gives the same apps
 * @param until apps are installed up to this time; `presentApps` omits those installed after a capture
 */
export function drawInstalledApps(
  random: Random,
  person: Person,
  phone: AndroidPhone,
  acquiredAt: number,
  until: number,
  wholeSystem: boolean,
): InstalledApp[] {
  const volume = Math.exp(random.normal(0.2 * person.savvy, 0.35)) * (phone.storageGb < 64 ? 0.65 : 1)
  const own = APPS.filter(({ package: name, reach, category, countries }) => {
    if (countries !== undefined && !countries.includes(person.home.country.code)) return false
    if (name.startsWith('com.sec.') && phone.model.brand !== 'samsung') return false
    return random.chance(1 - (1 - reach) ** (volume * (person.tastes.get(category) ?? 1)))
  }).map((app) => ({
    package: app.package,
    category: app.category,
    system: false,
    installedAt: drawInstallTime(random, acquiredAt, until),
    updatable: true,
  }))
  const platform = PLATFORM_APPS.filter(([, , updatable]) => wholeSystem || updatable)
  const system = [
    ...platform,
    ...listMakerApps(phone.model.brand).map((name) => [name, 'tools', random.chance(0.6)] as const),
  ].map(([name, category, updatable]) => ({
    package: name,
    category,
    system: true,
    installedAt: SYSTEM_IMAGE_AT,
    updatable,
  }))
  return [...system, ...own].sort((a, b) => a.installedAt - b.installedAt)
}

/** A third of the apps are installed during setup, the others one by one, more of them recently. */
function drawInstallTime(random: Random, acquiredAt: number, until: number): number {
  if (random.chance(0.35)) return Math.min(until, acquiredAt + Math.round(random.logNormal(40 * 60_000, 1)))
  return Math.round(acquiredAt + (until - acquiredAt) * random.float() ** 0.7)
}

/** Categories of the packages that the manifest of an app for loans names in `<queries>`. */
const QUERIED: ReadonlySet<string> = new Set(['finance', 'gambling', 'social', 'communication'])

/** Returns the apps that are visible to an app without `QUERY_ALL_PACKAGES`. */
export const listQueried = (installed: readonly InstalledApp[]): InstalledApp[] =>
  installed.filter(({ system, category }) => !system && QUERIED.has(category))

/** Lists the apps for a capture at this time. */
export function presentApps(
  installed: readonly InstalledApp[],
  at: number,
  updateLagDays: number,
): CaptureApp[] {
  return installed
    .filter((app) => app.installedAt < at)
    .map((app) => ({
      package: app.package,
      category: app.category,
      system: app.system,
      installedAt: new Date(app.installedAt).toISOString(),
      updatedAt: new Date(findUpdate(app, at, updateLagDays)).toISOString(),
    }))
}

/** Each package has its own release interval, the same on every phone; phones get releases some days late. */
function findUpdate(app: InstalledApp, at: number, lagDays: number): number {
  if (!app.updatable) return app.installedAt
  const hash = hashName(app.package)
  const periodMs = (6 + (hash % 41)) * DAY_MS
  const phaseMs = (hash % 977) * 3_600_000
  const delayMs = Math.round(lagDays * DAY_MS * (0.2 + ((hash ^ Math.floor(lagDays * 1e6)) % 997) / 600))
  const releasedAt = Math.floor((at - delayMs - phaseMs) / periodMs) * periodMs + phaseMs
  return Math.max(app.installedAt, Math.min(at - 1, releasedAt + delayMs))
}

/** FNV-1a, 32 bits. */
function hashName(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
