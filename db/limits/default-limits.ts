import { z } from 'zod'

/** The most that a limit can be. */
export const MAX_LIMIT = 1_000_000_000_000_000

const limit = (to: number) =>
  z
    .string()
    .regex(/^(off|[1-9]\d{0,15})$/, 'must be a whole number from 1, or off')
    .transform((value) => (value === 'off' ? value : Number(value)))
    .refine((value) => value === 'off' || value <= to, `must be at most ${to}`)
    .default('off')

/** Limits of requests fit a column of 32 bits. */
export const MAX_REQUESTS = 1_000_000

/** Variables with the limits of subscriptions and keys that have none of their own; `off` by default. */
export const limitVariables = {
  SUBSCRIPTION_REQUESTS_PER_SECOND: limit(MAX_REQUESTS),
  SUBSCRIPTION_DATASETS_PER_DAY: limit(MAX_LIMIT),
  SUBSCRIPTION_BYTES_STORED: limit(MAX_LIMIT),
  KEY_REQUESTS_PER_SECOND: limit(MAX_REQUESTS),
  KEY_DATASETS_PER_DAY: limit(MAX_LIMIT),
}

/** Limits as they are set: null is the default, 0 is none. */
export interface LimitSettings {
  readonly requestsPerSecond: number | null
  /** Requests at once, after a pause. */
  readonly burst: number | null
  readonly datasetsPerDay: number | null
  /** Of a subscription only. */
  readonly bytesStored: number | null
}

export const NO_SETTINGS: LimitSettings = {
  ...{ requestsPerSecond: null, burst: null, datasetsPerDay: null, bytesStored: null },
}

/** Limits in effect; null is none. */
export interface Limits {
  /** At most `burst` requests in each period of `burst / perSecond` seconds. */
  readonly requests: { readonly perSecond: number; readonly burst: number } | null
  readonly datasetsPerDay: number | null
  readonly bytesStored: number | null
}

/** Seconds of the rate that may arrive at once, unless the burst is set. */
const BURST_SECONDS = 10

/** Limits of subscriptions and keys without settings. */
export interface DefaultLimits {
  readonly subscription: LimitSettings
  readonly key: LimitSettings
}

export const NO_DEFAULTS: DefaultLimits = { subscription: NO_SETTINGS, key: NO_SETTINGS }

const settingOf = (value: number | 'off'): number => (value === 'off' ? 0 : value)

/** Returns the defaults in an environment, read by `limitVariables`. */
export const defaultLimits = (
  env: z.output<z.ZodObject<{ [Name in keyof typeof limitVariables]: (typeof limitVariables)[Name] }>>,
): DefaultLimits => ({
  subscription: {
    requestsPerSecond: settingOf(env.SUBSCRIPTION_REQUESTS_PER_SECOND),
    burst: null,
    datasetsPerDay: settingOf(env.SUBSCRIPTION_DATASETS_PER_DAY),
    bytesStored: settingOf(env.SUBSCRIPTION_BYTES_STORED),
  },
  key: {
    requestsPerSecond: settingOf(env.KEY_REQUESTS_PER_SECOND),
    burst: null,
    datasetsPerDay: settingOf(env.KEY_DATASETS_PER_DAY),
    bytesStored: null,
  },
})

/** Returns the limits in effect: those set, otherwise the defaults. */
export function effectiveLimits(settings: LimitSettings, defaults: LimitSettings): Limits {
  const of = (name: keyof LimitSettings) => (settings[name] ?? defaults[name]) || null
  const perSecond = of('requestsPerSecond')
  return {
    requests: perSecond === null ? null : { perSecond, burst: of('burst') ?? perSecond * BURST_SECONDS },
    datasetsPerDay: of('datasetsPerDay'),
    bytesStored: of('bytesStored'),
  }
}
