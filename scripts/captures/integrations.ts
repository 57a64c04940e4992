import type { Platform } from '../../db/capture/capture.ts'
import type { Random } from './random.ts'

/** A lender's integration of the SDK: the installed modules and the requested permissions. */
export interface Integration {
  readonly sdkVersion: string
  readonly modules: readonly string[]
  /** Names without the prefix `android.permission.`; Info.plist keys; names of the Permissions API. */
  readonly declares: readonly string[]
  readonly weight: number
}

/** Permissions that Google Play leaves to applications for personal loans. */
const ANDROID_STORE = [
  'INTERNET',
  'ACCESS_NETWORK_STATE',
  'RECEIVE_BOOT_COMPLETED',
  'FOREGROUND_SERVICE',
  'POST_NOTIFICATIONS',
  'USE_BIOMETRIC',
  'ACCESS_WIFI_STATE',
  'CAMERA',
  'ACCESS_COARSE_LOCATION',
]
const ANDROID_BASE = [...ANDROID_STORE, 'ACCESS_FINE_LOCATION']
const ANDROID_FULL = [
  ...ANDROID_BASE,
  'USE_FINGERPRINT',
  'READ_EXTERNAL_STORAGE',
  'WRITE_EXTERNAL_STORAGE',
  'QUERY_ALL_PACKAGES',
  'GET_ACCOUNTS',
  'READ_CALENDAR',
  'READ_CONTACTS',
  'READ_MEDIA_AUDIO',
  'READ_MEDIA_IMAGES',
  'READ_MEDIA_VIDEO',
  'READ_SMS',
  'RECEIVE_SMS',
  'READ_PHONE_STATE',
  'HIGH_SAMPLING_RATE_SENSORS',
  'BLUETOOTH',
]

/** The integrations of a few lenders, some of them in apps that no store offers. */
const INTEGRATIONS: Record<Platform, readonly Integration[]> = {
  android: [
    {
      sdkVersion: '4.1.0',
      weight: 5,
      declares: ANDROID_FULL,
      modules: [
        'core',
        'application',
        'account',
        'behavioral',
        'calendar',
        'contact',
        'audio',
        'images',
        'video',
        'sms',
        'location',
        'phone',
        'network',
        'camera',
      ],
    },
    {
      sdkVersion: '4.3.2',
      weight: 3,
      declares: [
        ...ANDROID_BASE,
        'QUERY_ALL_PACKAGES',
        'GET_ACCOUNTS',
        'READ_CALENDAR',
        'READ_SMS',
        'READ_PHONE_STATE',
      ],
      modules: [
        'core',
        'application',
        'account',
        'behavioral',
        'calendar',
        'sms',
        'location',
        'phone',
        'network',
      ],
    },
    {
      sdkVersion: '3.8.5',
      weight: 2,
      declares: [...ANDROID_FULL, 'READ_CALL_LOG', 'WRITE_CONTACTS', 'RECORD_AUDIO', 'ACTIVITY_RECOGNITION'],
      modules: [
        'core',
        'application',
        'account',
        'behavioral',
        'calendar',
        'contact',
        'audio',
        'images',
        'video',
        'sms',
      ],
    },
  ],
  ios: [
    {
      sdkVersion: '3.1.1',
      weight: 5,
      declares: [
        'NSFaceIDUsageDescription',
        'NSContactsUsageDescription',
        'NSCalendarsUsageDescription',
        'NSCalendarsFullAccessUsageDescription',
        'NSRemindersUsageDescription',
        'NSPhotoLibraryUsageDescription',
        'NSAppleMusicUsageDescription',
        'NSLocationWhenInUseUsageDescription',
        'NSCameraUsageDescription',
        'NSUserTrackingUsageDescription',
      ],
      modules: [
        'core',
        'behavioral',
        'contacts',
        'calendarEvents',
        'calendarReminders',
        'media',
        'music',
        'location',
        'camera',
      ],
    },
    {
      sdkVersion: '3.2.0',
      weight: 3,
      declares: [
        'NSFaceIDUsageDescription',
        'NSContactsUsageDescription',
        'NSPhotoLibraryUsageDescription',
        'NSLocationWhenInUseUsageDescription',
        'NSCameraUsageDescription',
        'NSMotionUsageDescription',
      ],
      modules: ['core', 'behavioral', 'contacts', 'media', 'location', 'camera', 'motion'],
    },
  ],
  web: [
    {
      sdkVersion: '4.3.0',
      weight: 1,
      modules: ['browser', 'behavioral', 'dom', 'permissions'],
      declares: ['geolocation', 'notifications', 'camera', 'microphone'],
    },
    {
      sdkVersion: '4.4.0',
      weight: 0.6,
      modules: ['browser', 'behavioral', 'dom', 'permissions', 'graphics'],
      declares: ['geolocation', 'notifications', 'camera', 'microphone'],
    },
  ],
}

/** The integration of small captures: only the SDK's core, in an app with few permissions. */
const LEAN: Record<Platform, Integration> = {
  android: { sdkVersion: '4.3.2', weight: 1, declares: ANDROID_BASE, modules: ['core', 'behavioral'] },
  ios: {
    sdkVersion: '3.2.0',
    weight: 1,
    modules: ['core', 'behavioral'],
    declares: ['NSFaceIDUsageDescription', 'NSCameraUsageDescription'],
  },
  web: {
    sdkVersion: '4.3.0',
    weight: 1,
    modules: ['browser', 'behavioral', 'permissions'],
    declares: ['geolocation'],
  },
}

/**
 * The Android integrations in an app that Google Play offers: since 2023 apps for personal loans may not read contacts,
 * photos, videos, the precise location, the phone number or the list of apps, and messages only with its approval.
 *
 * @see https://support.google.com/googleplay/android-developer/answer/9876821
 */
const STORE = {
  full: {
    sdkVersion: '4.4.0',
    weight: 1,
    declares: [...ANDROID_STORE, 'GET_ACCOUNTS', 'READ_CALENDAR', 'READ_PHONE_STATE'],
    modules: ['core', 'application', 'account', 'behavioral', 'calendar', 'location', 'phone', 'network'],
  },
  lean: { ...LEAN.android, declares: ANDROID_STORE },
} as const satisfies Record<string, Integration>

/**
 * Draws an integration of the platform; there is only one lean integration.
 *
 * @param stores whether the app obeys the rules of the stores, which leaves one integration on Android
 */
export function drawIntegration(
  random: Random,
  platform: Platform,
  { lean, stores }: { readonly lean: boolean; readonly stores: boolean },
): Integration {
  if (stores && platform === 'android') return lean ? STORE.lean : STORE.full
  return lean ? LEAN[platform] : random.weighted(INTEGRATIONS[platform], ({ weight }) => weight)
}
