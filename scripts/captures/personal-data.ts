import type { Capture } from '../../db/capture/capture.ts'
import type { Device } from './device.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

const DAY_MS = 86_400_000

type Media = NonNullable<Capture['media']>

/**
 * Counts the personal data on a device. The counts belong to the device, so they are consistent between its captures and
 * grow slightly.
 */
export interface PersonalData {
  readonly contacts: NonNullable<Capture['contacts']>
  readonly calendar: NonNullable<Capture['calendar']>
  readonly sms: NonNullable<Capture['sms']>
  readonly images: NonNullable<Media['images']>
  readonly video: NonNullable<Media['video']>
  readonly audio: NonNullable<Media['audio']>
}

export function countPersonalData(device: Device, at: number): PersonalData {
  const { owner } = device
  const random = device.random.fork('personal')
  const days = Math.max(1, (at - device.acquiredAt) / DAY_MS)
  // Media and messages are often copied from the previous phone.
  const carriedDays = random.chance(0.45) ? random.logNormal(420, 0.6) : 0
  const span = (perDay: number, extraDays = carriedDays) => countSpan(random, perDay, days, extraDays, at)
  const images = span(random.logNormal(3.2, 0.9))
  return {
    contacts: countContacts(random, owner),
    calendar: countCalendar(random, owner, at, days),
    sms: countMessages(random, owner, days, at),
    images,
    video: span(random.logNormal(0.28, 0.9)),
    audio: span(random.logNormal(0.08, 1.2)),
  }
}

function countContacts(random: Random, { contacts, savvy }: Person): PersonalData['contacts'] {
  return {
    count: contacts,
    withPhone: Math.round(contacts * random.float(0.9, 1)),
    withEmail: Math.round(contacts * Math.min(0.9, random.logNormal(0.08 * Math.exp(0.3 * savvy), 0.7))),
    groups: random.int(0, 8),
  }
}

function countCalendar(
  random: Random,
  { savvy }: Person,
  at: number,
  days: number,
): PersonalData['calendar'] {
  const events = Math.round(random.logNormal(14 * Math.exp(0.5 * savvy), 1.1))
  if (events === 0) return { events: 0, reminders: 0, firstAt: null, lastAt: null }
  const firstAt = at - days * DAY_MS * random.float(0.3, 1.5)
  const lastAt = at + random.float(-5, 60) * DAY_MS
  return {
    events,
    reminders: Math.round(events * random.float(0, 0.5)),
    firstAt: midnight(firstAt),
    lastAt: midnight(Math.max(firstAt, lastAt)),
  }
}

function countMessages(random: Random, { ageYears }: Person, days: number, at: number): PersonalData['sms'] {
  const receivedPerDay = random.logNormal(2.2, 0.7)
  const received = countSpan(random, receivedPerDay, days, 0, at)
  const sentShare = Math.min(0.6, random.logNormal(0.06 + 0.003 * Math.max(0, ageYears - 30), 0.8))
  return {
    received: received.count,
    sent: Math.round(received.count * sentShare),
    firstAt: received.firstAt ?? null,
    lastAt: received.lastAt ?? null,
  }
}

function countSpan(
  random: Random,
  perDay: number,
  days: number,
  extraDays: number,
  at: number,
): PersonalData['images'] {
  const count = Math.round(perDay * (days + extraDays))
  const [firstShare, lastGapDays] = [random.float(0.9, 1), random.float(0, 3) / Math.max(perDay, 0.02)]
  if (count === 0) return { count: 0, firstAt: null, lastAt: null }
  const firstAt = at - Math.max((days + extraDays) * firstShare, 0.01) * DAY_MS
  const lastAt = Math.max(firstAt, at - lastGapDays * DAY_MS)
  return { count, firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() }
}

/** Calendars contain days: the start of the day in UTC. */
function midnight(at: number): string {
  return new Date(Math.floor(at / DAY_MS) * DAY_MS).toISOString()
}
