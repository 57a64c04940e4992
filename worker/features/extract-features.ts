import type { Platform } from '../../db/capture/capture.ts'
import { FEATURES, type FeatureName, type Features, isFeatureName } from '../../db/capture/features.ts'
import { extractAccounts } from './accounts.ts'
import { extractApps } from './apps.ts'
import { extractAuthenticity } from './authenticity.ts'
import { extractAutomation } from './automation.ts'
import { extractCalendar } from './calendar.ts'
import { extractCollection } from './collection.ts'
import { extractCompletion } from './completion.ts'
import { extractContacts } from './contacts.ts'
import { extractDevice } from './device.ts'
import { extractEntries } from './entries.ts'
import { groupEvents } from './events.ts'
import type { CaptureInput, ClaimInput, Extracted, FeatureInput } from './extractor.ts'
import { extractFields } from './fields.ts'
import { extractHesitation } from './hesitation.ts'
import { extractIdentityFields } from './identity-fields.ts'
import { extractInfo } from './info.ts'
import { extractIp } from './ip.ts'
import { extractLanguages } from './languages.ts'
import { extractLocale } from './locale.ts'
import { extractMedia } from './media.ts'
import { extractNetwork } from './network.ts'
import { extractOsAge } from './os-age.ts'
import { extractPermissions } from './permissions.ts'
import { extractPointer } from './pointer.ts'
import { extractSession } from './session.ts'
import { extractSms } from './sms.ts'
import { extractStorage } from './storage.ts'
import { extractTimeOfDay } from './time-of-day.ts'
import { extractTouch } from './touch.ts'
import { extractTyping } from './typing.ts'
import { extractUploadDelay } from './upload-delay.ts'
import { extractUserAgentClaims } from './user-agent-claims.ts'
import { extractVelocity } from './velocity.ts'
import { extractViewport } from './viewport.ts'
import { extractWeb } from './web.ts'

const CAPTURE_EXTRACTORS = [
  extractDevice,
  extractOsAge,
  extractStorage,
  extractNetwork,
  extractLocale,
  extractApps,
  extractAccounts,
  extractPermissions,
  extractContacts,
  extractCalendar,
  extractMedia,
  extractSms,
  extractSession,
  extractTyping,
  extractHesitation,
  extractFields,
  extractIdentityFields,
  extractEntries,
  extractCompletion,
  extractAuthenticity,
  extractTouch,
  extractPointer,
  extractWeb,
  extractAutomation,
  extractUserAgentClaims,
  extractLanguages,
  extractViewport,
  extractCollection,
  extractTimeOfDay,
  extractUploadDelay,
  extractIp,
] as const

const CLAIM_EXTRACTORS = [extractVelocity, extractInfo] as const

/** All extractors. Each reads its part of a dataset; no two compute the same feature. */
export const EXTRACTORS = [...CAPTURE_EXTRACTORS, ...CLAIM_EXTRACTORS] as const

type NamesOf<E> = E extends (input: never) => infer Computed ? keyof Computed : never
type Assert<None extends never> = None

/** Fails to compile, naming them, while the catalogue has features that no extractor computes. @public read by the compiler */
export type Uncomputed = Assert<Exclude<FeatureName, NamesOf<(typeof EXTRACTORS)[number]>>>

const FEATURES_OF: Readonly<Record<Platform, readonly FeatureName[]>> = {
  android: listFeatures('android'),
  ios: listFeatures('ios'),
  web: listFeatures('web'),
}

/**
 * Computes every feature of the catalogue for the capture's platform.
 *
 * Pure and deterministic: reads neither the clock nor the host's settings. Missing features are omitted.
 */
export function extractFeatures(input: FeatureInput): Features {
  return { ...extractCaptureFeatures(input), ...extractClaimFeatures(input.capture.platform, input) }
}

/** Computes the features of the capture itself: nearly all of the work, done before its dataset is claimed. */
export function extractCaptureFeatures(input: CaptureInput): Features {
  const { platform, behaviour } = input.capture
  const session = { ...input, events: behaviour ? groupEvents(behaviour.events) : undefined }
  return featuresOf(
    platform,
    CAPTURE_EXTRACTORS.map((extract) => extract(session)),
  )
}

/** Computes the features of data that is known only after the dataset is claimed. */
export function extractClaimFeatures(platform: Platform, input: ClaimInput): Features {
  return featuresOf(
    platform,
    CLAIM_EXTRACTORS.map((extract) => extract(input)),
  )
}

function featuresOf(platform: Platform, parts: readonly Partial<Extracted<FeatureName>>[]): Features {
  const computed: Partial<Extracted<FeatureName>> = Object.assign({}, ...parts)
  const features: Features = {}
  for (const name of FEATURES_OF[platform]) if (computed[name] !== undefined) features[name] = computed[name]
  return features
}

function listFeatures(platform: Platform): FeatureName[] {
  return Object.keys(FEATURES)
    .filter(isFeatureName)
    .filter((name) => FEATURES[name].platforms.some((other) => other === platform))
}
