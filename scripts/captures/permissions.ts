import type { CapturePermission, Platform } from '../../db/capture/capture.ts'
import { ANDROID_PERMISSIONS } from '../../worker/permissions/android.ts'
import { IOS_PERMISSIONS } from '../../worker/permissions/ios.ts'
import type { Integration } from './integrations.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

const PREFIX = 'android.permission.'

/**
 * One dialog asks for all permissions of a group, so they are granted together. The number is how readily
 * people agree, in logits. Permissions without a group are granted at install time.
 *
 * @see https://developer.android.com/guide/topics/permissions/overview#runtime
 */
const GROUPS: readonly (readonly [pattern: RegExp, group: string, ease: number])[] = [
  [/NOTIFICATIONS|^notifications$/, 'notifications', 0.6],
  [/CAMERA|^NSCamera|^camera$/, 'camera', 1.4],
  [/LOCATION|^NSLocation|^geolocation$/, 'location', 0.5],
  [/CALL_LOG|OUTGOING/, 'callLog', -0.9],
  [/CONTACTS|GET_ACCOUNTS|^NSContacts/, 'contacts', -0.2],
  [/CALENDAR|^NSCalendars/, 'calendar', -0.1],
  [/^NSReminders/, 'reminders', -0.6],
  [/SMS|MMS/, 'sms', -0.3],
  [/MEDIA_(?:IMAGES|VIDEO|VISUAL)|^NSPhotoLibrary/, 'visualMedia', 0.3],
  [/MEDIA_AUDIO|^NSAppleMusic/, 'audio', -0.5],
  [/EXTERNAL_STORAGE/, 'storage', 0.2],
  [/READ_PHONE_(?:STATE|NUMBERS)|CALL_PHONE/, 'phone', 0.3],
  [/RECORD_AUDIO|^NSMicrophone|^microphone$/, 'microphone', -0.8],
  [/ACTIVITY_RECOGNITION|BODY_SENSORS|^NSMotion/, 'motion', 0.1],
  [/BLUETOOTH_|NEARBY_WIFI/, 'nearby', 0.2],
  [/^NSFaceID/, 'faceId', 1.2],
  [/^NSUserTracking/, 'tracking', -1.3],
  [/PACKAGE_USAGE_STATS|MANAGE_EXTERNAL/, 'settings', -3],
]

/** Storage permissions that newer Android no longer grants, with the first API level that denies them. */
const RETIRED: Readonly<Record<string, number>> = { READ_EXTERNAL_STORAGE: 33, WRITE_EXTERNAL_STORAGE: 30 }

/**
 * The permissions that the SDK's modules report, with this person's answers.
 *
 * @param answers a source that is the same for every capture of the person in this app
 * @param osVersion API level on Android, major.minor on iOS; decides which permissions exist
 */
export function answerPermissions(
  platform: Platform,
  integration: Integration,
  person: Person,
  answers: Random,
  osVersion: number,
): CapturePermission[] {
  return listCatalog(platform, integration, osVersion).map((name) => {
    const short = name.replace(PREFIX, '')
    const declared = integration.declares.includes(short)
    const retired = platform === 'android' && osVersion >= (RETIRED[short] ?? Number.POSITIVE_INFINITY)
    const granted = declared && !retired && isGranted(short, person, answers)
    return platform === 'web' ? { name, granted } : { name, declared, granted }
  })
}

function listCatalog(platform: Platform, integration: Integration, osVersion: number): readonly string[] {
  if (platform === 'web') return integration.declares
  const catalog = platform === 'android' ? ANDROID_PERMISSIONS : IOS_PERMISSIONS
  return catalog
    .filter(({ module, since }) => since <= osVersion && integration.modules.includes(module))
    .map(({ name }) => name)
    .filter((name) => platform === 'android' || integration.declares.includes(name))
}

function isGranted(name: string, person: Person, answers: Random): boolean {
  const group = GROUPS.find(([pattern]) => pattern.test(name))
  if (group === undefined) return true
  const [, label, ease] = group
  return answers.fork(label).float() < 1 / (1 + Math.exp(-(person.generosity + ease)))
}
