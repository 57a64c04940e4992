import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import type { Browser } from './browser.ts'
import type { Occasion } from './collect.ts'
import type { Device } from './device.ts'
import { FIELDS } from './form.ts'
import { drawIntegration } from './integrations.ts'
import { answerPermissions } from './permissions.ts'
import { recordSession } from './record-session.ts'
import { countEvents } from './size.ts'

/** Generates a capture of the web SDK. */
export function collectWeb(occasion: Occasion<Extract<Device, { platform: 'web' }>>): Capture {
  const { random, device, person, plan } = occasion
  const { browser } = device
  const integration = drawIntegration(device.random.fork('integration'), 'web', plan.lean)
  const session = recordSession(random.fork('session'), {
    person,
    widthPx: Math.round(browser.widthPx / browser.density),
    heightPx: Math.round(browser.heightPx / browser.density),
    mouse: !browser.mobile,
    pointerEveryMs: plan.pointerEveryMs,
    ...(browser.mobile && { sensorEveryMs: plan.sensorEveryMs }),
    events: countEvents(plan, 'web'),
  })
  const at = occasion.endSession(session.durationMs)
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
      browser: {
        name: browser.name,
        version: browser.version,
        userAgent: browser.userAgent,
        languages: [...browser.languages],
        cookiesEnabled: true,
        hardwareConcurrency: browser.hardwareConcurrency,
        ...(browser.deviceMemoryGb !== undefined && { deviceMemoryGb: browser.deviceMemoryGb }),
        webdriver: device.farmed,
      },
      screen: {
        widthPx: browser.widthPx,
        heightPx: browser.heightPx,
        density: browser.density,
        orientation: 0,
      },
      page: {
        origin: 'https://loans.example',
        path: '/apply',
        ...(integration.modules.includes('dom') && {
          fields: FIELDS.map(({ name, kind }) => ({ name, kind })),
        }),
      },
    },
    permissions: answerPermissions('web', integration, person, device.random.fork(person.clientId), 0),
    behaviour: { startedAt: new Date(at - session.durationMs).toISOString(), ...session },
  }
}

/** Returns the information about the machine available to a page: the maker for Apple, otherwise only the system. */
function nameMachine({ system }: Browser): { brand: string; model: string } | { model: string } {
  if (system === 'macOS') return { brand: 'Apple', model: 'Mac' }
  if (system === 'iOS') return { brand: 'Apple', model: 'iPhone' }
  return { model: system }
}
