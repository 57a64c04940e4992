import { ANDROID_MODELS, type AndroidModel, BRAND_SHARES } from './android-devices.ts'
import { ANDROID_VERSIONS, type AndroidVersion } from './android-versions.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

/** One Android phone: a model, its variant and its current Android version. */
export interface AndroidPhone {
  readonly model: AndroidModel
  readonly version: AndroidVersion
  readonly ramGb: number
  readonly storageGb: number
  readonly emulator: boolean
}

const EMULATED: AndroidModel = {
  brand: 'google',
  model: 'sdk_gphone64_x86_64',
  name: 'Android SDK emulator',
  launched: '2021-10',
  apiLevels: [31, 36],
  variants: [
    [2, 8],
    [4, 16],
  ],
  widthPx: 1080,
  heightPx: 2400,
  density: 2.625,
  tier: 1,
  weight: 0,
}

/** Draws a phone that the person would have bought, from the brands of their region. */
export function drawAndroidPhone(random: Random, owner: Person, at: Date, emulator: boolean): AndroidPhone {
  const model = emulator ? EMULATED : drawModel(random, owner)
  // Buyers of expensive phones choose expensive variants.
  const [ramGb, storageGb] = random.weighted(model.variants, (variant) =>
    Math.exp(0.5 * owner.affluence * (model.variants.indexOf(variant) - 1)),
  )
  return { model, version: drawVersion(random, model, owner, at), ramGb, storageGb, emulator }
}

function drawModel(random: Random, owner: Person): AndroidModel {
  const shares = BRAND_SHARES[owner.home.country.region]
  const brand = random.weighted(Object.keys(shares), (name) => shares[name] ?? 0)
  const wanted = 1 + 0.8 * owner.affluence
  return random.weighted(
    ANDROID_MODELS.filter((model) => model.brand === brand),
    (model) => model.weight * Math.exp(-0.7 * (model.tier - wanted) ** 2),
  )
}

/** Expensive phones get updates early and for a long time; many cheap ones keep the version they were sold with. */
function drawVersion(random: Random, model: AndroidModel, owner: Person, at: Date): AndroidVersion {
  const [first, last] = model.apiLevels
  const day = at.toISOString().slice(0, 10)
  const offered = ANDROID_VERSIONS.filter(
    ({ apiLevel, releasedAt }) =>
      apiLevel >= first && apiLevel <= last && (releasedAt <= day || apiLevel === first),
  )
  const keenness = 0.25 + 0.35 * model.tier + 0.15 * owner.savvy
  return random.weighted(offered, ({ apiLevel }) => Math.exp(keenness * (apiLevel - last)))
}
