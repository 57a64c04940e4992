import type { Capture } from '../../db/capture/capture.ts'
import {
  FEATURES,
  type FeatureDefinition,
  type FeatureName,
  isFeatureName,
} from '../../db/capture/features.ts'
import { extractCaptureFeatures } from '../../worker/features/extract-features.ts'
import { FEATURE_NEEDS } from './feature-needs.ts'
import { findMember } from './find-member.ts'

/** The features of a capture by itself, and those that cannot be computed. */
export interface FeatureList {
  readonly features: readonly {
    readonly name: FeatureName
    readonly value: number | boolean | string
    readonly unit?: string
  }[]
  readonly missing: readonly { readonly name: FeatureName; readonly reason: string }[]
  /** Features that take the address of the upload, Additional Info, velocity, or the time of the upload. */
  readonly atUpload: readonly FeatureName[]
}

const UPLOAD_SOURCES = ['realIp', 'velocity', 'additionalInfo']

/** Lists the features of the capture's platform. */
export function listFeatures(capture: Capture): FeatureList {
  const uploadedAt = new Date(capture.collectedAt)
  const values = extractCaptureFeatures({ capture, uploadedAt, realIp: undefined })
  const names = Object.keys(FEATURES)
    .filter(isFeatureName)
    .filter((name) => definitionOf(name).platforms.includes(capture.platform))
  const [atUpload, own] = [names.filter(isOfUpload), names.filter((name) => !isOfUpload(name))]
  return {
    features: own.flatMap((name) => {
      const value = values[name]
      const { unit } = definitionOf(name)
      return value === undefined ? [] : [{ name, value, ...(unit !== undefined && { unit }) }]
    }),
    missing: own
      .filter((name) => values[name] === undefined)
      .map((name) => ({ name, reason: explainMissing(capture, name) })),
    atUpload,
  }
}

const definitionOf = (name: FeatureName): FeatureDefinition => FEATURES[name]

const sourcesOf = (name: FeatureName) => definitionOf(name).source.split(', ')

const isOfUpload = (name: FeatureName) =>
  name === 'time_upload_delay_s' || sourcesOf(name).some((source) => UPLOAD_SOURCES.includes(source))

/** Names what is absent: the section if it is absent as a whole, otherwise the member. */
function explainMissing(capture: Capture, name: FeatureName): string {
  const absent = sourcesOf(name)
    .filter((path) => capture.platform === 'web' || !path.startsWith('web.'))
    .flatMap((path) => firstAbsent(capture, path) ?? [])
  if (absent.length > 0) return `${[...new Set(absent)].join(' and ')} absent`
  const need = FEATURE_NEEDS[name]
  return need === undefined ? `${definitionOf(name).source} has no usable value` : `needs ${need}`
}

/** The first absent member on the way to a path: `device` or `device.bootedAt`. */
function firstAbsent(capture: Capture, path: string): string | undefined {
  const parts = path.split('.')
  return parts
    .map((_, at) => parts.slice(0, at + 1).join('.'))
    .find((one) => findMember(capture, one) == null)
}
