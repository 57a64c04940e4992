import { z } from 'zod'
import { Capture } from '../capture/capture.ts'
import { Consent } from '../capture/collection.ts'
import { Device } from '../capture/device.ts'
import { CaptureEvent } from '../capture/event.ts'
import { Field, View } from '../capture/page.ts'
import { CAPTURE_BOUNDS, count, milliseconds, optional, timestamp } from '../capture/scalars.ts'

/** Limits of one collection: they bound what it stores, and the capture that is assembled from it. */
export const COLLECTION_LIMITS = {
  /** A segment as it is sent, plain or gzipped. */
  segmentBytes: 64 * 1024,
  /** A segment as JSON. */
  inflatedBytes: 256 * 1024,
  /** All segments as JSON. */
  bytes: 4 * 1024 * 1024,
  events: CAPTURE_BOUNDS.events,
  /** Each `n` is below. */
  segments: 10_000,
  /** From opening to the last segment. */
  hours: 4,
} as const

const Facts = z.object({
  sdk: Capture.shape.sdk,
  device: optional(
    Device.pick({ brand: true, model: true, osVersion: true, locale: true, timeZone: true }),
    'The device, as far as its browser or its page knows it',
  ),
  permissions: Capture.shape.permissions,
  consent: optional(Consent, 'The legal basis of the collection'),
  web: Capture.shape.web,
})

const Totals = z.object({
  startedAt: timestamp.describe('When the collection started by the clock of the device, ISO 8601 with zone'),
  durationMs: milliseconds.describe('Milliseconds since then'),
  activeMs: optional(
    milliseconds,
    'Part of it in which the page was visible and the user did something, in milliseconds',
  ),
  resolutionMs: optional(milliseconds, 'Resolution of the clock of the events in milliseconds'),
  dropped: optional(count, 'Events that the SDK did not record because of its limits'),
})

/**
 * A part of a capture that a browser sends while the user fills in a page. Segments arrive in any order, repeatedly or never; a
 * worker assembles the stored ones into a capture.
 *
 * Unknown members are ignored, as those of a capture.
 */
export const Segment = z
  .object({
    v: z.literal(1).describe('Version of the format'),
    n: count
      .max(COLLECTION_LIMITS.segments - 1)
      .describe('Number of the segment in its collection, from 0 without gaps, at most 9,999'),
    at: milliseconds.describe(
      'When the SDK completed the segment by the clock of the device, in milliseconds since 1970',
    ),
    facts: optional(
      Facts,
      'What the SDK knows of browser and page; a later segment overrides it member by member, arrays as a whole',
    ),
    fields: optional(
      z.array(Field).max(CAPTURE_BOUNDS.listItems),
      'Form fields met since the segment before, at most 1,000',
    ),
    views: optional(
      z.array(View).max(CAPTURE_BOUNDS.listItems),
      'Pages shown since the segment before, at most 1,000',
    ),
    behaviour: Totals.describe('Running totals: those of the last segment count, and startedAt of the first'),
    events: optional(
      z.array(CaptureEvent).max(CAPTURE_BOUNDS.events),
      'Events since the segment before; t is in milliseconds since the collection started',
    ),
  })
  .meta({
    id: 'Segment',
    examples: [
      {
        v: 1,
        n: 0,
        at: 1_795_336_530_000,
        facts: { sdk: { version: '1.0.0' }, web: { page: { path: '/apply' } } },
        behaviour: { startedAt: '2026-11-22T08:15:25.000Z', durationMs: 5_000 },
        events: [{ t: 1_200, type: 'focus', target: 'income' }],
      },
    ],
  })

/** A part of a capture that a browser sends. */
export type Segment = z.output<typeof Segment>
