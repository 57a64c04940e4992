import { IPHONE_MODELS, type IphoneModel } from './ios-devices.ts'
import { IOS_VERSIONS, type IosVersion } from './ios-versions.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

/** One iPhone: a model, its storage and its current iOS version. */
export interface Iphone {
  readonly model: IphoneModel
  readonly version: IosVersion
  readonly storageGb: number
}

/** Draws an iPhone that the person would have bought, new or used. */
export function drawIphone(random: Random, owner: Person, at: Date): Iphone {
  const wanted = 1.2 + 0.7 * owner.affluence
  const model = random.weighted(
    IPHONE_MODELS,
    ({ weight, tier }) => weight * Math.exp(-0.6 * (tier - wanted) ** 2),
  )
  const storageGb = random.weighted(model.storagesGb, (gb) =>
    Math.exp(0.6 * (owner.affluence - 0.6) * model.storagesGb.indexOf(gb)),
  )
  return { model, version: drawVersion(random, model, owner, at), storageGb }
}

/** iPhones get new versions soon, whatever their price, as long as they are supported. */
function drawVersion(random: Random, model: IphoneModel, owner: Person, at: Date): IosVersion {
  const [first, last] = model.majors
  const day = at.toISOString().slice(0, 10)
  const offered = IOS_VERSIONS.filter(
    ({ major, releasedAt }) => major >= first && major <= last && releasedAt <= day,
  )
  const keenness = 0.45 + 0.1 * owner.savvy
  return random.weighted(offered, (version) =>
    Math.exp(-Math.max(0.1, keenness) * (offered.length - 1 - offered.indexOf(version))),
  )
}
