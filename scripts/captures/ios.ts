import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import { type Occasion, observeState, observeStorage } from './collect.ts'
import type { Device } from './device.ts'
import { drawIntegration } from './integrations.ts'
import { answerPermissions } from './permissions.ts'
import { countPersonalData } from './personal-data.ts'
import { recordSession } from './record-session.ts'
import { countEvents } from './size.ts'

/** Generates a capture of the iOS SDK, without apps, accounts and messages, which iOS does not let apps read. */
export function collectIos(occasion: Occasion<Extract<Device, { platform: 'ios' }>>): Capture {
  const { random, device, person, plan } = occasion
  const { model, version, storageGb } = device.phone
  const integration = drawIntegration(device.random.fork('integration'), 'ios', {
    lean: plan.lean,
    stores: occasion.stores,
  })
  const session = recordSession(random.fork('session'), {
    person,
    widthPx: model.widthPx,
    heightPx: model.heightPx,
    mouse: false,
    pointerEveryMs: plan.pointerEveryMs,
    sensorEveryMs: plan.sensorEveryMs,
    events: countEvents(plan, 'ios'),
  })
  const at = occasion.endSession(session.durationMs)
  const permissions = answerPermissions(
    'ios',
    integration,
    person,
    device.random.fork(person.clientId),
    Number.parseFloat(version.osVersion),
  )
  const may = (pattern: RegExp) => permissions.some(({ name, granted }) => granted && pattern.test(name))
  const data = countPersonalData(device, at)
  const { bootedAt, ...state } = observeState(occasion, at, device.owner.home.utcOffsetHours)
  return {
    format: CAPTURE_FORMAT,
    platform: 'ios',
    collectedAt: new Date(at).toISOString(),
    sdk: { version: integration.sdkVersion, modules: [...integration.modules] },
    device: {
      id: device.id,
      brand: 'Apple',
      model: model.model,
      osVersion: version.osVersion,
      screen: { widthPx: model.widthPx, heightPx: model.heightPx, density: model.scale },
      ramTotalBytes: Math.round(model.ramGb * 2 ** 30 * 0.965),
      ...(!occasion.stores && observeStorage(occasion, Math.round((storageGb * 1e9 * 0.9995) / 4096) * 4096)),
      locale: device.owner.home.locale,
      timeZone: device.owner.home.timeZone,
      emulator: false,
      rooted: device.rooted,
      ...state,
      ...(!occasion.stores && { bootedAt }),
    },
    permissions,
    ...(may(/^NSContacts/) && { contacts: data.contacts }),
    ...(may(/^NSCalendars/) && { calendar: data.calendar }),
    ...(may(/^NSPhotoLibrary/) && { media: { images: data.images, video: data.video } }),
    behaviour: { startedAt: new Date(at - session.durationMs).toISOString(), ...session },
  }
}
