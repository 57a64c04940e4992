import { CAPTURE_FORMAT, type Capture } from '../../db/capture/capture.ts'
import type { AndroidPhone } from './android-device.ts'
import { type Occasion, observeState, observeStorage } from './collect.ts'
import { countAccounts } from './count-accounts.ts'
import type { Device } from './device.ts'
import { drawInstalledApps, listQueried, presentApps } from './installed-apps.ts'
import { drawIntegration } from './integrations.ts'
import { answerPermissions } from './permissions.ts'
import { countPersonalData } from './personal-data.ts'
import { recordSession } from './record-session.ts'
import { countEvents } from './size.ts'

const GIBIBYTE = 2 ** 30

/** Generates a capture of the Android SDK. */
export function collectAndroid(
  occasion: Occasion<Extract<Device, { platform: 'android' }>>,
  until: number,
): Capture {
  const { random, device, person, plan } = occasion
  const { phone } = device
  const { model, version } = phone
  const integration = drawIntegration(device.random.fork('integration'), 'android', {
    lean: plan.lean,
    stores: occasion.stores,
  })
  const has = (module: string) => integration.modules.includes(module)
  const everything = has('application')
    ? drawInstalledApps(
        device.random.fork('apps'),
        device.owner,
        phone,
        device.acquiredAt,
        until,
        plan.wholeSystem,
      )
    : []
  const installed = occasion.stores ? listQueried(everything) : everything
  const session = recordSession(random.fork('session'), {
    person,
    widthPx: model.widthPx,
    heightPx: model.heightPx,
    mouse: false,
    pointerEveryMs: plan.pointerEveryMs,
    sensorEveryMs: plan.sensorEveryMs,
    events: countEvents(plan, 'android', installed.length),
  })
  const at = occasion.endSession(session.durationMs)
  const permissions = answerPermissions(
    'android',
    integration,
    person,
    device.random.fork(person.clientId),
    version.apiLevel,
  )
  const granted = (short: string) =>
    permissions.some((permission) => permission.granted && permission.name === `android.permission.${short}`)
  const mayRead = (kind: string) => granted(`READ_MEDIA_${kind}`) || granted('READ_EXTERNAL_STORAGE')
  const data = countPersonalData(device, at)
  return {
    format: CAPTURE_FORMAT,
    platform: 'android',
    collectedAt: new Date(at).toISOString(),
    sdk: { version: integration.sdkVersion, modules: [...integration.modules] },
    device: {
      id: device.id,
      brand: model.brand,
      model: model.model,
      osVersion: version.osVersion,
      apiLevel: version.apiLevel,
      screen: { widthPx: model.widthPx, heightPx: model.heightPx, density: model.density },
      ...observeMemory(occasion, phone),
      ...observeStorage(occasion, measureStorage(phone)),
      locale: device.owner.home.locale,
      timeZone: device.owner.home.timeZone,
      emulator: phone.emulator,
      rooted: device.rooted,
      developerMode: device.developerMode,
      ...observeState(occasion, at, device.owner.home.utcOffsetHours),
    },
    permissions,
    ...(has('application') && { apps: presentApps(installed, at, device.updateLagDays) }),
    ...(has('account') && {
      accounts: countAccounts(device.random.fork('accounts'), model.brand, installed),
    }),
    ...(has('contact') && granted('READ_CONTACTS') && { contacts: data.contacts }),
    ...(has('calendar') && granted('READ_CALENDAR') && { calendar: data.calendar }),
    ...(has('images') &&
      (mayRead('IMAGES') || mayRead('AUDIO')) && {
        media: {
          ...(mayRead('IMAGES') && { images: data.images, video: data.video }),
          ...(mayRead('AUDIO') && { audio: data.audio }),
        },
      }),
    ...(has('sms') && granted('READ_SMS') && { sms: data.sms }),
    behaviour: { startedAt: new Date(at - session.durationMs).toISOString(), ...session },
  }
}

/** The kernel reserves 4 to 10 % of the memory; the more the phone has, the more is free. */
function observeMemory({ random, device }: Occasion, phone: AndroidPhone) {
  const share = device.random.fork('memory').float(0.9, 0.96)
  const total = Math.round((phone.ramGb * GIBIBYTE * share) / 4096) * 4096
  const free = random.float(0.16, 0.34) + 0.008 * phone.ramGb
  return { ramTotalBytes: total, ramFreeBytes: Math.round((total * free) / 4096) * 4096 }
}

/**
 * Returns the size of the data partition: the flash memory, sold in decimal units, without the system image.
 */
function measureStorage({ storageGb, model }: AndroidPhone): number {
  const systemGb = Math.min(storageGb * 0.3, model.brand === 'samsung' ? 17 : 13)
  return Math.round(((storageGb - systemGb) * 1e9) / 4096) * 4096
}
