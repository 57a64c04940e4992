/** Lengths of the sliding windows of velocity in seconds; each ends when the dataset was processed. */
export const VELOCITY_WINDOWS = {
  '10m': 600,
  '1h': 3_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
} as const

export type VelocityWindow = keyof typeof VELOCITY_WINDOWS

/** Datasets in each window, this one included. */
export type WindowCounts = Readonly<Record<VelocityWindow, number>>

/**
 * Counts of a dataset's device and client within its subscription.
 *
 * Every count includes the dataset itself and is fixed at processing: later datasets do not change it.
 */
export interface Velocity {
  /** null: the capture has no device id. `clients` is null when this dataset names no client. */
  readonly device: {
    readonly datasets: number
    readonly windows: WindowCounts
    readonly clients: number | null
  } | null
  /** null: no `clientId` is saved in the Additional Info. */
  readonly client: {
    readonly id: string
    readonly datasets: number
    readonly devices: number
    readonly windows: WindowCounts
  } | null
}
