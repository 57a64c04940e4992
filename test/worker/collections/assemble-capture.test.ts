import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Capture } from '../../../db/capture/capture.ts'
import { decodeCapture } from '../../../worker/capture/decode-capture.ts'
import { assembleCapture, type CollectionFacts } from '../../../worker/collections/assemble-capture.ts'
import { aSegment } from '../../support/collections.ts'

const COLLECTION: CollectionFacts = {
  level: 'claimed',
  origin: 'https://shop.example',
  deviceId: 'web_abc',
  request: { userAgent: 'Mozilla/5.0', languages: ['en-GB'] },
  announced: 2,
  ended: 'complete',
  uploadedAt: new Date('2026-11-20T10:00:00Z'),
}

/** The assembled capture as a worker reads it: it passes the published schema. */
const assembled = (...[collection, segments]: Parameters<typeof assembleCapture>): Capture =>
  decodeCapture(gzipSync(JSON.stringify(assembleCapture(collection, segments))))

describe('a capture is assembled from segments', () => {
  test('with the events of all in the order of time, and the device id of the service', () => {
    const capture = assembled(COLLECTION, [aSegment(0), aSegment(1)])
    expect(capture.device).toMatchObject({ id: 'web_abc', locale: 'en-GB', timeZone: 'Europe/London' })
    expect(capture.collectedAt).toBe('2026-11-20T09:30:10.000Z')
    expect(capture.behaviour?.startedAt).toBe('2026-11-20T09:30:00.000Z')
    expect(capture.behaviour?.durationMs).toBe(10_000)
    expect(capture.behaviour?.events.map(({ t }) => t)).toEqual([1_000, 1_150, 1_300, 6_000, 6_150, 6_300])
    expect(capture.web?.page).toMatchObject({ origin: 'https://shop.example', fields: [{ name: 'income' }] })
  })

  test('that overlap in time, sorted', () => {
    const early = aSegment(1, { events: [{ t: 5, type: 'focus', target: 'income' }] })
    const capture = assembled(COLLECTION, [aSegment(0), early])
    expect(capture.behaviour?.events.map(({ t }) => t)).toEqual([5, 1_000, 1_150, 1_300])
  })

  test('of which one is missing: the capture reports it', () => {
    const capture = assembleCapture({ ...COLLECTION, announced: 4 }, [aSegment(0), aSegment(2)])
    expect(capture).toMatchObject({
      collection: { level: 'claimed', segments: 2, missing: 2, ended: 'complete' },
    })
    expect(
      assembleCapture({ ...COLLECTION, announced: null, ended: 'abandoned' }, [aSegment(2)]),
    ).toMatchObject({
      collection: { segments: 1, missing: 2, ended: 'abandoned' },
    })
  })

  test('whose facts change: later ones override earlier ones member by member, and null overrides nothing', () => {
    const later = aSegment(1, {
      facts: { device: { locale: null, timeZone: 'Asia/Manila' }, web: { browser: { languages: ['fil'] } } },
    })
    const capture = assembled(COLLECTION, [aSegment(0), later])
    expect(capture.device).toMatchObject({ locale: 'en-GB', timeZone: 'Asia/Manila' })
    expect(capture.web?.browser).toMatchObject({ userAgent: 'Mozilla/5.0', languages: ['fil'] })
  })

  test('that repeat a form field: it is listed once', () => {
    const again = aSegment(1, {
      fields: [
        { name: 'income', kind: 'number', index: 0 },
        { name: 'city', index: 1 },
      ],
    })
    const capture = assembled(COLLECTION, [aSegment(0), again])
    expect(capture.web?.page?.fields?.map(({ name }) => name)).toEqual(['income', 'city'])
  })

  test('with more events than a capture may have: the first 50,000 stay', () => {
    const many = Array.from({ length: 30_000 }, (_, t) => ({ t, type: 'scroll', x: 0, y: t }))
    const capture = assembled(COLLECTION, [aSegment(0, { events: many }), aSegment(1, { events: many })])
    expect(capture.behaviour?.events).toHaveLength(50_000)
  })

  test('by a clock that no date can express: the time of the upload counts', () => {
    const capture = assembled(COLLECTION, [aSegment(0, { at: Number.MAX_SAFE_INTEGER })])
    expect(capture.collectedAt).toBe('2026-11-20T10:00:00.000Z')
  })

  test('none at all: it has no behaviour', () => {
    const capture = assembled({ ...COLLECTION, announced: null, deviceId: null }, [])
    expect(capture.platform).toBe('web')
    expect(capture.behaviour).toBeUndefined()
    expect(capture.device).toEqual({})
  })
})
