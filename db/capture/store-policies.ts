import type { Platform } from './capture.ts'
import type { FeatureDefinition } from './features.ts'

/**
 * What a store's rule means for an application: `forbidden` at all; `needs_declaration`: forbidden until the store has approved a
 * declared exception; `limited`: allowed as far as `reason` describes.
 */
export const STORE_EFFECTS = ['forbidden', 'needs_declaration', 'limited'] as const

export type StoreEffect = (typeof STORE_EFFECTS)[number]

/** A rule of a store about data that captures can contain. */
export interface StoreRule {
  readonly effect: StoreEffect
  /** Members of a capture, as paths with dots; a member stands for everything inside it. Some are not in the format. */
  readonly members: readonly string[]
  /** Permissions that the application must not declare, as `permissions` of a capture names them. */
  readonly permissions: readonly string[]
  readonly reason: string
  /** Address of the store's policy. */
  readonly source: string
}

/** The policy of a store for one kind of application. */
export interface StorePolicy {
  readonly title: string
  readonly platform: Platform
  readonly rules: Readonly<Record<string, StoreRule>>
}

const PERSONAL_LOANS = 'https://support.google.com/googleplay/android-developer/answer/9876821'
const SMS_AND_CALLS = 'https://support.google.com/googleplay/android-developer/answer/10208820'
const PACKAGES = 'https://support.google.com/googleplay/android-developer/answer/10158779'
const REQUIRED_REASONS =
  'https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api'

const android = (...names: readonly string[]) => names.map((name) => `android.permission.${name}`)

/**
 * Policies of stores by profile, as published in November 2026. Names of profiles and rules are published and never renamed.
 *
 * @see docs/capture-format.md
 */
export const STORE_POLICIES = {
  google_play_loans: {
    title: 'Google Play, personal loans',
    platform: 'android',
    rules: {
      contacts: {
        effect: 'forbidden',
        members: ['contacts'],
        permissions: android('READ_CONTACTS'),
        reason: 'Applications for personal loans must not read contacts',
        source: PERSONAL_LOANS,
      },
      photos_videos: {
        effect: 'forbidden',
        members: ['media.images', 'media.video'],
        permissions: android('READ_MEDIA_IMAGES', 'READ_MEDIA_VIDEO'),
        reason: 'Applications for personal loans must not read photos and videos',
        source: PERSONAL_LOANS,
      },
      external_storage: {
        effect: 'forbidden',
        members: [],
        permissions: android('READ_EXTERNAL_STORAGE', 'WRITE_EXTERNAL_STORAGE'),
        reason: 'Applications for personal loans must not use the shared storage',
        source: PERSONAL_LOANS,
      },
      audio_files: {
        effect: 'limited',
        members: ['media.audio'],
        permissions: [],
        reason: 'Only on Android 13 and later: before, it takes READ_EXTERNAL_STORAGE, which is forbidden',
        source: PERSONAL_LOANS,
      },
      precise_location: {
        effect: 'forbidden',
        members: ['location', 'device.location'],
        permissions: android('ACCESS_FINE_LOCATION'),
        reason: 'Applications for personal loans must not read the precise location',
        source: PERSONAL_LOANS,
      },
      phone_numbers: {
        effect: 'forbidden',
        members: ['phoneNumbers', 'device.phoneNumber', 'device.phoneNumbers'],
        permissions: android('READ_PHONE_NUMBERS'),
        reason: 'Applications for personal loans must not read the phone numbers of the device',
        source: PERSONAL_LOANS,
      },
      all_packages: {
        effect: 'forbidden',
        members: [],
        permissions: android('QUERY_ALL_PACKAGES'),
        reason: 'Applications for personal loans must not query all installed applications',
        source: PERSONAL_LOANS,
      },
      installed_apps: {
        effect: 'limited',
        members: ['apps'],
        permissions: [],
        reason: 'Only packages that the manifest names in <queries>: the whole list takes QUERY_ALL_PACKAGES',
        source: PACKAGES,
      },
      sms: {
        effect: 'needs_declaration',
        members: ['sms'],
        permissions: android('READ_SMS', 'RECEIVE_SMS', 'SEND_SMS', 'RECEIVE_MMS', 'RECEIVE_WAP_PUSH'),
        reason: 'Only default handlers and declared exceptions that Google Play approved may read messages',
        source: SMS_AND_CALLS,
      },
      call_log: {
        effect: 'needs_declaration',
        members: ['callLog', 'calls'],
        permissions: android('READ_CALL_LOG', 'WRITE_CALL_LOG', 'PROCESS_OUTGOING_CALLS'),
        reason:
          'Only default handlers and declared exceptions that Google Play approved may read the call log',
        source: SMS_AND_CALLS,
      },
    },
  },
  apple_required_reasons: {
    title: 'App Store, required-reason APIs',
    platform: 'ios',
    rules: {
      boot_time: {
        effect: 'forbidden',
        members: ['device.bootedAt'],
        permissions: [],
        reason: 'No approved reason (35F9.1, 8FFB.1, 3D61.1) lets the boot time leave the device for scoring',
        source: REQUIRED_REASONS,
      },
      disk_space: {
        effect: 'forbidden',
        members: ['device.storageFreeBytes'],
        permissions: [],
        reason:
          'No approved reason (85F4.1, E174.1, 7D9E.1) lets free disk space leave the device for scoring',
        source: REQUIRED_REASONS,
      },
      disk_capacity: {
        effect: 'forbidden',
        members: ['device.storageTotalBytes'],
        permissions: [],
        reason: 'The capacity comes from the same APIs as free disk space (volumeTotalCapacity, systemSize)',
        source: REQUIRED_REASONS,
      },
    },
  },
} as const satisfies Record<string, StorePolicy>

export type StoreName = keyof typeof STORE_POLICIES

export const STORES = Object.keys(STORE_POLICIES) as readonly StoreName[]

/** Returns the policies of a platform's stores. */
export const storesOf = (platform: Platform): readonly StoreName[] =>
  STORES.filter((store) => STORE_POLICIES[store].platform === platform)

/** A rule of a store that concerns the data of a feature. */
export interface StoreMark {
  readonly store: StoreName
  readonly rule: string
  readonly effect: StoreEffect
  readonly reason: string
  readonly source: string
}

/** Returns the rules of stores about the data of a feature, on the platforms that have it. */
export function marksOf({ source: read, platforms }: FeatureDefinition): StoreMark[] {
  const paths = read.split(', ')
  return STORES.flatMap((store) => {
    const { platform, rules }: StorePolicy = STORE_POLICIES[store]
    if (!platforms.includes(platform)) return []
    return Object.entries(rules)
      .filter(([, { members }]) =>
        members.some((member) => paths.some((path) => `${path}.`.startsWith(`${member}.`))),
      )
      .map(([rule, { effect, reason, source }]) => ({ store, rule, effect, reason, source }))
  })
}
