import type { Platform } from '../../db/capture/capture.ts'
import { type Device, drawDevice } from './device.ts'
import { drawPerson, type Person } from './person.ts'
import type { Random } from './random.ts'

export interface PopulationOptions {
  readonly platforms: Readonly<Record<Platform, number>>
  /** Share of new clients who come on a device that another client has used before, 0 to 1. */
  readonly sharedDeviceShare: number
  /** Share of uploads by clients who have uploaded before, 0 to 1. */
  readonly repeatClientShare: number
  readonly at: Date
}

/** A person and one of their devices. */
export interface Visit {
  readonly person: Person
  readonly device: Device
}

interface Client {
  readonly person: Person
  readonly devices: Device[]
}

/** Number of clients and devices that can return; bounds the memory of a long run. */
const REMEMBERED = 4_000
/**
 * Share of returning clients who are among the most recent ones: they were rejected or made a mistake, and try again.
 */
const RETRYING_SHARE = 0.3
const RETRYING = 24
const SECOND_DEVICE_SHARE = 0.08
const MAX_DEVICES = 3

/**
 * A growing population of clients and devices.
 *
 * Families share a phone, and a few farmed devices apply under many names: of the clients who share, two in
 * five do so on a farmed device as soon as there is one.
 */
export function createPopulation(
  random: Random,
  options: PopulationOptions,
): { visit(index: number): Visit } {
  const clients: Client[] = []
  const devices: Device[] = []
  const farmed: Device[] = []
  const recent: Client[] = []

  const remember = <T>(list: T[], item: T, dice: Random) => {
    if (list.length < REMEMBERED) list.push(item)
    else list[dice.int(0, REMEMBERED - 1)] = item
  }
  const acquire = (dice: Random, owner: Person): Device => {
    const platform = dice.weighted(['android', 'ios', 'web'] as const, (name) => options.platforms[name])
    const device = drawDevice(dice.fork('device'), platform, owner, options.at)
    remember(device.farmed ? farmed : devices, device, dice)
    return device
  }

  const comeBack = (dice: Random): Visit => {
    const client = dice.pick(dice.chance(RETRYING_SHARE) ? recent : clients)
    if (client.devices.length < MAX_DEVICES && dice.chance(SECOND_DEVICE_SHARE)) {
      client.devices.push(acquire(dice, client.person))
    }
    return { person: client.person, device: dice.pick(client.devices) }
  }

  const arrive = (dice: Random): Visit => {
    const known = farmed.length > 0 && (devices.length === 0 || dice.chance(0.4)) ? farmed : devices
    const shared = known.length > 0 && dice.chance(options.sharedDeviceShare) ? dice.pick(known) : undefined
    const person = drawPerson(dice.fork('person'), shared?.owner.home)
    const device = shared ?? acquire(dice, person)
    const client = { person, devices: [device] }
    remember(clients, client, dice)
    recent.push(client)
    if (recent.length > RETRYING) recent.shift()
    return { person, device }
  }

  return {
    visit(index) {
      const dice = random.fork(index)
      return clients.length > 0 && dice.chance(options.repeatClientShare) ? comeBack(dice) : arrive(dice)
    },
  }
}
