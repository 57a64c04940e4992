import type { PermissionItem } from '../insight-types.ts'

/** Groups of permissions by patterns of their names; the first match counts. */
const GROUPS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Health and motion', /BODY_SENSORS|ACTIVITY_RECOGNITION|HIGH_SAMPLING|Health|Motion/],
  ['Contacts and accounts', /CONTACTS|ACCOUNTS|Contacts/],
  ['Messages', /SMS|MMS/],
  ['Calls and phone', /CALL|PHONE/],
  ['Calendar', /CALENDAR|Calendar|Reminders/],
  ['Photos, media and files', /MEDIA|STORAGE|Photo|Music/],
  ['Location', /LOCATION|Location/],
  ['Camera and microphone', /CAMERA|RECORD_AUDIO|Camera|Microphone|Speech/],
  ['Network and devices nearby', /INTERNET|NETWORK|WIFI|BLUETOOTH|Bluetooth|Network|Nearby/],
  ['Apps and usage', /PACKAGE|Tracking|FocusStatus/],
  ['Identity and money', /FINGERPRINT|BIOMETRIC|FaceID|Financial/],
]

const OTHERS = 'Other'

/** Groups the permissions; groups keep the order above, items their own. */
export function groupPermissions(
  items: readonly PermissionItem[],
): { name: string; items: PermissionItem[] }[] {
  const byName = Map.groupBy(
    items,
    ({ permission }) =>
      GROUPS.find(([, pattern]) => pattern.test(shortPermissionName(permission)))?.[0] ?? OTHERS,
  )
  return [...GROUPS.map(([name]) => name), OTHERS].flatMap((name) => {
    const items = byName.get(name)
    return items ? [{ name, items }] : []
  })
}

/** The name without the prefix and suffix that all names of its platform share. */
const shortPermissionName = (permission: string): string =>
  permission.replace(/^android\.permission\./, '').replace(/^NS(.+)UsageDescription$/, '$1')

/** A readable name: Read call log for `READ_CALL_LOG`, Location when in use for `LocationWhenInUse`. */
export function permissionName(permission: string): string {
  const short = shortPermissionName(permission)
  if (!/^[A-Za-z_]+$/.test(short)) return permission
  const words = short.includes('_') || short === short.toUpperCase() ? short.split('_') : splitCapitals(short)
  return words.map((word, at) => readWord(word, at === 0)).join(' ')
}

const splitCapitals = (name: string) => name.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+/g) ?? [name]

const ACRONYMS = new Set(['SMS', 'MMS', 'ID'])

function readWord(word: string, first: boolean): string {
  if (ACRONYMS.has(word)) return word
  if (word === 'WIFI') return 'Wi-Fi'
  const lower = word.toLowerCase()
  return first ? lower.charAt(0).toUpperCase() + lower.slice(1) : lower
}
