import { z } from 'zod'
import { CAPTURE_BOUNDS, count, optional, spanOf, text, timestamp } from './scalars.ts'

export const Permission = z.object({
  name: text
    .min(1)
    .describe(
      'Name as the platform has it, 1 to 1,000 characters. Android: android.permission.…; iOS: the Info.plist key; ' +
        'web: the name in the Permissions API',
    ),
  declared: optional(
    z.boolean(),
    'Whether the manifest of the application declares it; absent counts as declared',
  ),
  granted: z.boolean().describe('Whether the user or the system has granted it'),
})

export const App = z.object({
  package: text
    .min(1)
    .describe('Package name, 1 to 1,000 characters, such as com.whatsapp. PackageInfo.packageName'),
  category: optional(
    text,
    'Category in lower case, such as finance, game, social, communication or productivity; from the store or ApplicationInfo.category',
  ),
  system: optional(
    z.boolean(),
    'Whether it came with the system image (ApplicationInfo.FLAG_SYSTEM); absent counts as no',
  ),
  installedAt: optional(timestamp, 'First install, ISO 8601 with zone. PackageInfo.firstInstallTime'),
  updatedAt: optional(timestamp, 'Last update, ISO 8601 with zone. PackageInfo.lastUpdateTime'),
})

/** zod's records have no bound: the schema declares it, and the check enforces it. */
const counts = z
  .record(text, count)
  .refine((byName) => Object.keys(byName).length <= CAPTURE_BOUNDS.listItems, 'Too many members')
  .meta({ maxProperties: CAPTURE_BOUNDS.listItems })

export const Accounts = z.object({
  count: count.describe('Accounts registered on the device. AccountManager.getAccounts'),
  byType: optional(
    counts,
    'Accounts by type, such as com.google: a count for each, at most 1,000 types; never the names of accounts',
  ),
})

export const Contacts = z.object({
  count: count.describe('Contacts in the address book. Android: ContactsContract; iOS: CNContactStore'),
  withPhone: optional(count, 'Contacts that have a phone number'),
  withEmail: optional(count, 'Contacts that have an e-mail address'),
  groups: optional(count, 'Groups of contacts'),
})

export const Calendar = z.object({
  events: count.describe('Events in all calendars. Android: CalendarContract; iOS: EventKit'),
  reminders: optional(count, 'Reminders. Android: CalendarContract.Reminders; iOS: EKReminder'),
  ...spanOf('events'),
})

const mediaKind = (things: string) =>
  z.object({ count: count.describe(`Number of ${things}`), ...spanOf(things) })

export const Media = z.object({
  images: optional(
    mediaKind('images'),
    'Images in the library of the device. Android: MediaStore; iOS: PhotoKit',
  ),
  video: optional(
    mediaKind('videos'),
    'Videos in the library of the device. Android: MediaStore; iOS: PhotoKit',
  ),
  audio: optional(
    mediaKind('audio files'),
    'Audio files in the library of the device. Android: MediaStore; iOS: MediaPlayer',
  ),
})

export const Sms = z.object({
  received: count.describe('Messages in the inbox. Telephony.Sms.Inbox'),
  sent: count.describe('Messages sent. Telephony.Sms.Sent'),
  ...spanOf('messages'),
})
