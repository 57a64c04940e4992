import { CAPTURE_FORMAT } from '../../db/capture/capture.ts'
import { CAPTURE_BOUNDS } from '../../db/capture/scalars.ts'
import type { CollectedDataset } from '../../db/collections/assembly.ts'
import type { Segment } from '../../db/collections/segment.ts'

/** What a capture needs of its collection besides the segments. */
export type CollectionFacts = Pick<
  CollectedDataset,
  'level' | 'origin' | 'deviceId' | 'request' | 'announced' | 'ended' | 'uploadedAt'
>

/**
 * Assembles the capture of a collection from its stored segments, in the order of `n`. A missing segment leaves a gap, which the
 * capture reports. Pure.
 */
export function assembleCapture(collection: CollectionFacts, segments: readonly Segment[]): object {
  const { level, origin, deviceId, request, announced, ended } = collection
  const last = segments.at(-1)
  const sent = Math.max(announced ?? 0, last ? last.n + 1 : 0)
  const { device, web, ...facts } = segments.reduce<Members>(
    (merged, segment) => mergeMembers(merged, segment.facts ?? {}),
    {},
  )
  return {
    format: CAPTURE_FORMAT,
    platform: 'web',
    collectedAt: timestampOf(last?.at) ?? collection.uploadedAt.toISOString(),
    ...facts,
    device: mergeMembers(membersOf(device), deviceId === null ? {} : { id: deviceId }),
    collection: { level, origin, segments: segments.length, missing: sent - segments.length, ended, request },
    web: mergeMembers(membersOf(web), { page: pageOf(membersOf(web).page, segments) }),
    ...(segments.length > 0 && { behaviour: behaviourOf(segments) }),
  }
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

/** Members of `later` override those of `earlier`: objects member by member, arrays as a whole; what is absent or null overrides nothing. */
function mergeMembers(earlier: Members, later: Members): Members {
  const merged: Record<string, unknown> = { ...earlier }
  for (const [name, value] of Object.entries(later)) {
    if (value === undefined || value === null) continue
    merged[name] = isMembers(value) ? mergeMembers(membersOf(merged[name]), value) : value
  }
  return merged
}

/** The page with its form fields and views, each once, in the order in which they were met. */
function pageOf(page: unknown, segments: readonly Segment[]): Members {
  const fields = segments.flatMap((segment) => segment.fields ?? [])
  const byIndex = new Map(fields.map((field, at) => [field.index ?? `met ${at}`, field]))
  const views = segments.flatMap((segment) => segment.views ?? [])
  return {
    ...membersOf(page),
    ...(byIndex.size > 0 && { fields: [...byIndex.values()].slice(0, CAPTURE_BOUNDS.listItems) }),
    ...(views.length > 0 && { views: views.slice(0, CAPTURE_BOUNDS.listItems) }),
  }
}

/** The recorded session: totals of the last segment, the start of the first one, and all events in the order of their time. */
function behaviourOf(segments: readonly Segment[]): Members {
  const events = segments
    .flatMap((segment) => segment.events ?? [])
    .toSorted((a, b) => a.t - b.t)
    .slice(0, CAPTURE_BOUNDS.events)
  const totals = segments.reduce<Members>((merged, { behaviour }) => mergeMembers(merged, behaviour), {})
  return {
    ...totals,
    startedAt: segments[0]?.behaviour.startedAt,
    durationMs: Math.max(...segments.map(({ behaviour }) => behaviour.durationMs), events.at(-1)?.t ?? 0),
    events,
  }
}

/** The last millisecond of the year 9999, after which ISO 8601 needs more digits than a capture may have. */
const LAST_TIMESTAMP = Date.UTC(10_000, 0) - 1

const timestampOf = (ms: number | undefined): string | undefined =>
  ms === undefined || ms > LAST_TIMESTAMP ? undefined : new Date(ms).toISOString()
