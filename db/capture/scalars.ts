import { z } from 'zod'

/** Limits that bound the cost of one capture; a capture that exceeds one is invalid. */
export const CAPTURE_BOUNDS = {
  text: 1_000,
  longText: 4_000,
  permissions: 1_000,
  apps: 5_000,
  events: 50_000,
  listItems: 1_000,
} as const

export const text = z.string().max(CAPTURE_BOUNDS.text)
export const longText = z.string().max(CAPTURE_BOUNDS.longText)
export const count = z.int().min(0)
export const bytes = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
export const milliseconds = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
export const coordinate = z.number().min(-1e9).max(1e9)
export const timestamp = z.iso.datetime({ offset: true }).max(64)

/** A member that may be absent or null, if the SDK does not know it or its module is not installed. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.nullish().describe(description)

/** The first and the last time of counted things. */
export const spanOf = (things: string) => ({
  firstAt: optional(
    timestamp,
    `Time of the oldest of the ${things}, ISO 8601 with zone; null if there is none`,
  ),
  lastAt: optional(
    timestamp,
    `Time of the newest of the ${things}, ISO 8601 with zone; null if there is none`,
  ),
})
