import { randomUUID } from 'node:crypto'
import type { Platform } from '../../db/capture/capture.ts'
import { CAPTURE_EXAMPLES } from '../reference/capture-examples.ts'

/** A made-up capture: JSON that the schema of captures accepts. */
export interface MadeCapture extends Readonly<Record<string, unknown>> {
  readonly device: Readonly<Record<string, unknown>>
}

/** Returns a number from 0 to less than 1, as `Math.random` does. */
export type Random = () => number

/** Devices of each platform, which replace that of the example. */
const DEVICES: Readonly<Record<Platform, readonly Readonly<Record<string, unknown>>[]>> = {
  android: [
    { brand: 'samsung', model: 'SM-A546E', osVersion: '14', apiLevel: 34 },
    { brand: 'samsung', model: 'SM-S911B', osVersion: '15', apiLevel: 35 },
    { brand: 'Xiaomi', model: '23053RN02A', osVersion: '13', apiLevel: 33 },
    { brand: 'OPPO', model: 'CPH2477', osVersion: '12', apiLevel: 31 },
    { brand: 'vivo', model: 'V2247', osVersion: '13', apiLevel: 33 },
  ],
  ios: [
    { model: 'iPhone15,4', osVersion: '18.1' },
    { model: 'iPhone14,5', osVersion: '17.6' },
    { model: 'iPhone12,1', osVersion: '16.7' },
  ],
  web: [
    { brand: 'Apple', model: 'Mac', osVersion: '15.1' },
    { brand: 'Apple', model: 'Mac', osVersion: '14.6' },
  ],
}

/** Languages with a time zone of their region. */
const PLACES = [
  { locale: 'en-PH', timeZone: 'Asia/Manila' },
  { locale: 'id-ID', timeZone: 'Asia/Jakarta' },
  { locale: 'vi-VN', timeZone: 'Asia/Ho_Chi_Minh' },
  { locale: 'es-MX', timeZone: 'America/Mexico_City' },
  { locale: 'pl-PL', timeZone: 'Europe/Warsaw' },
]

/** Range of each numeric member that varies, as shares of the example's value. */
const SHARES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  level: [0.1, 1],
  ramFreeBytes: [0.3, 1.6],
  storageFreeBytes: [0.2, 2],
  events: [0, 3],
  reminders: [0, 3],
  dwellMs: [0.7, 1.5],
  flightMs: [0.6, 1.8],
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/**
 * Generates a capture of a platform: the example of the reference on another device, in another place, with other numbers, collected within the
 * last three minutes. Its other times keep their distance from that.
 *
 * @param now in milliseconds since 1970.
 */
export function makeCapture(platform: Platform, now: number, random: Random = Math.random): MadeCapture {
  // sent by a program, not collected from a browser in segments
  const { collection: _, ...example } = { collection: undefined, ...CAPTURE_EXAMPLES[platform] }
  const movedMs = now - Math.floor(random() * 180_000) - Date.parse(example.collectedAt)
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const people = Math.floor(20 + random() * 600)

  const vary = (value: unknown, name: string): unknown => {
    if (typeof value === 'string' && TIMESTAMP.test(value))
      return new Date(Date.parse(value) + movedMs).toISOString()
    if (typeof value === 'number') return varyNumber(value, SHARES[name], random)
    if (Array.isArray(value)) return value.map((item) => vary(item, ''))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, vary(inner, key)]))
  }
  const varied = vary(example, '') as MadeCapture
  return {
    ...varied,
    device: { ...varied.device, ...one(DEVICES[platform]), ...one(PLACES), id: randomUUID() },
    ...('contacts' in varied && {
      contacts: { count: people, withPhone: people - 4, withEmail: Math.floor(people / 3), groups: 1 },
    }),
  }
}

/** Returns a share of a number, whole if it was; battery levels and the like stay at most 1. */
function varyNumber(value: number, shares: readonly [number, number] | undefined, random: Random): number {
  if (!shares) return value
  const varied = value * (shares[0] + random() * (shares[1] - shares[0]))
  return Number.isInteger(value) ? Math.floor(varied) : Math.min(1, Number(varied.toFixed(2)))
}
