import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import type { Browser } from './browser.ts'
import type { Occasion } from './collect.ts'
import { describeBrowser } from './describe-browser.ts'
import { describeCollection } from './describe-collection.ts'
import type { Device } from './device.ts'
import { FIELDS, type Field } from './form.ts'
import { drawIntegration } from './integrations.ts'
import { answerPermissions } from './permissions.ts'
import { recordSession } from './record-session.ts'
import { countEvents } from './size.ts'
import { measureActive } from './web-session.ts'

const ORIGIN = 'https://loans.example'

/** Generates a capture of the web SDK. */
export function collectWeb(occasion: Occasion<Extract<Device, { platform: 'web' }>>): Capture {
  const { random, device, person, plan } = occasion
  const { browser } = device
  const integration = drawIntegration(device.random.fork('integration'), 'web', {
    lean: plan.lean,
    stores: occasion.stores,
  })
  const abandoned = random.fork('abandoned').chance(0.05)
  const session = recordSession(random.fork('session'), {
    person,
    widthPx: Math.round(browser.widthPx / browser.density),
    heightPx: Math.round(browser.heightPx / browser.density),
    mouse: !browser.mobile,
    web: true,
    submits: !abandoned,
    scripted: device.farmed,
    pointerEveryMs: plan.pointerEveryMs,
    ...(browser.mobile && { sensorEveryMs: plan.sensorEveryMs }),
    events: countEvents(plan, 'web'),
  })
  const at = occasion.endSession(session.durationMs)
  const startedAt = at - session.durationMs
  const activeMs = measureActive(session.events)
  return {
    format: CAPTURE_FORMAT,
    platform: 'web',
    collectedAt: new Date(at).toISOString(),
    sdk: { version: integration.sdkVersion, modules: [...integration.modules] },
    device: {
      id: device.id,
      ...nameMachine(browser),
      ...(browser.systemVersion !== undefined && { osVersion: browser.systemVersion }),
      locale: device.owner.home.locale,
      timeZone: device.owner.home.timeZone,
    },
    web: {
      ...describeBrowser(device, integration, plan.lean),
      page: {
        origin: ORIGIN,
        path: '/apply',
        ...(random.fork('referrer').chance(0.6) && { referrerOrigin: 'https://www.search.example' }),
        navigationType: random.fork('navigation').chance(0.9) ? 'navigate' : 'reload',
        ...(integration.modules.includes('dom') && { fields: FIELDS.map(describeField) }),
        views: [{ path: '/apply', t: 0 }],
      },
    },
    consent: { basis: 'consent', at: new Date(startedAt).toISOString(), policy: '2026-09' },
    collection: describeCollection(random.fork('collection'), device, {
      origin: ORIGIN,
      abandoned,
      activeMs,
    }),
    permissions: answerPermissions('web', integration, person, device.random.fork(person.clientId), 0),
    behaviour: {
      startedAt: new Date(startedAt).toISOString(),
      activeMs,
      resolutionMs: browser.hints ? 0.1 : 1,
      dropped: 0,
      ...session,
    },
  }
}

const describeField = ({ name, kind, autocomplete }: Field, index: number) => ({
  name,
  kind,
  ...(autocomplete !== undefined && { autocomplete }),
  required: kind !== 'checkbox',
  index,
})

/** Returns the information about the machine available to a page: the maker for Apple, otherwise only the system. */
function nameMachine({ system }: Browser): { brand: string; model: string } | { model: string } {
  if (system === 'macOS') return { brand: 'Apple', model: 'Mac' }
  if (system === 'iOS') return { brand: 'Apple', model: 'iPhone' }
  return { model: system }
}
