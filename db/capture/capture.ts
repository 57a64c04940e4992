import { z } from 'zod'
import { Collection, Consent } from './collection.ts'
import { Accounts, App, Calendar, Contacts, Media, Permission, Sms } from './content.ts'
import { Device } from './device.ts'
import { Behaviour } from './event.ts'
import { CAPTURE_BOUNDS, optional, text, timestamp } from './scalars.ts'
import { Web } from './web.ts'

/** The format name and version which this schema describes; the first member of every capture. */
export const CAPTURE_FORMAT = 'capture/1'

/** The wire number of each platform, as in `source` of datasetInfo. */
export const SOURCE_OF_PLATFORM = { android: 0, ios: 1, web: 2 } as const

export type Platform = keyof typeof SOURCE_OF_PLATFORM

/** Every platform, in the order of its wire number. */
export const PLATFORMS: readonly Platform[] = ['android', 'ios', 'web']

const Sdk = z.object({
  version: optional(text, 'Version of the SDK, such as 4.1.0'),
  modules: optional(
    z.array(text).max(CAPTURE_BOUNDS.listItems),
    'Modules of the SDK that the application installs, such as core or contact, at most 1,000; absent counts as all of them',
  ),
})

/**
 * The content of `data` of an upload, which is base64 of gzip of this as UTF-8 JSON.
 *
 * Every section except `format`, `platform` and `collectedAt` is optional; unknown sections and members are ignored. Sections
 * contain counts and times only, never content (no names, numbers, messages or characters typed).
 *
 * @see `/schemas/capture-1.json`, and an example of each platform under `/schemas/capture-1/examples`
 */
export const Capture = z
  .object({
    format: z.literal(CAPTURE_FORMAT).describe('Name and version of the format'),
    platform: z.enum(['android', 'ios', 'web']).describe('Platform of the SDK that made the capture'),
    collectedAt: timestamp.describe(
      'When the capture was made by the clock of the device, ISO 8601 with zone',
    ),
    sdk: optional(Sdk, 'The SDK that made the capture'),
    device: optional(Device, 'The device and its state'),
    permissions: optional(
      z.array(Permission).max(CAPTURE_BOUNDS.permissions),
      'Permissions that the SDK checked, at most 1,000',
    ),
    apps: optional(
      z.array(App).max(CAPTURE_BOUNDS.apps),
      'Installed applications, at most 5,000; Android only',
    ),
    accounts: optional(Accounts, 'Counts of accounts registered on the device; Android only'),
    contacts: optional(Contacts, 'Counts of contacts; never their content'),
    calendar: optional(Calendar, 'Counts of calendar entries; never their content'),
    media: optional(Media, 'Counts of media files; never their content'),
    sms: optional(Sms, 'Counts of text messages; never their content; Android only'),
    behaviour: optional(Behaviour, 'How the user handled the application, as timed events'),
    web: optional(Web, 'The browser and the page; web only'),
    consent: optional(Consent, 'The legal basis of the capture'),
    collection: optional(
      Collection,
      'How the server received the segments that a browser sent; added by the server; web only',
    ),
  })
  .meta({
    title: 'Capture',
    description:
      'Capture format, version 1: the content of data of an upload, as base64 of gzip of UTF-8 JSON. format, platform and ' +
      'collectedAt are required; unknown sections and members are ignored. Texts have at most 1,000 characters unless ' +
      'stated otherwise.',
  })

/** A decoded capture. */
export type Capture = z.output<typeof Capture>

/** One installed application of a capture. */
export type CaptureApp = z.output<typeof App>

/** One permission as the capture lists it. */
export type CapturePermission = z.output<typeof Permission>
