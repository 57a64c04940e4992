import type { CaptureEvent } from '../../db/capture/event.ts'
import type { Extracted, SessionInput } from './extractor.ts'
import { median, share } from './statistics.ts'

/** Minimum fields for a median. */
const MIN_FIELDS = 3

/** Keys that leave a field or move in it. */
const MOVES: ReadonlySet<string> = new Set(['tab', 'enter', 'other'])

/**
 * Hesitation before fields, and corrections by field.
 *
 * Hesitation is the time from the focus of a field to the first entry in it: a key, a paste or a choice by the user; other
 * visits do not count, and the median needs 3. Corrections are backspace and delete keys; undefined if no field was typed in.
 */
export function extractEntries({
  events,
}: SessionInput): Extracted<
  'behaviour_field_hesitation_ms' | 'behaviour_corrections_per_field' | 'behaviour_corrected_fields_share'
> {
  const hesitations: number[] = []
  const typed = new Set<string>()
  const corrected = new Set<string>()
  let corrections = 0
  let focus: CaptureEvent | undefined
  let last: string | undefined
  for (const event of events?.formEvents ?? []) {
    const { type, target } = event
    if (target == null) continue
    if (type === 'focus') focus = event
    else if (focus?.target === target && isEntry(event)) {
      hesitations.push(event.t - focus.t)
      focus = undefined
    }
    if (type !== 'key') continue
    if (target !== last) typed.add(target) // most keys are in the same field
    last = target
    if (event.kind !== 'backspace' && event.kind !== 'delete') continue
    corrected.add(target)
    corrections++
  }

  return {
    behaviour_field_hesitation_ms: median(hesitations, MIN_FIELDS),
    behaviour_corrections_per_field: typed.size > 0 ? corrections / typed.size : undefined,
    behaviour_corrected_fields_share: share(corrected.size, typed.size),
  }
}

function isEntry({ type, kind, auto }: CaptureEvent): boolean {
  if (type === 'key') return kind == null || !MOVES.has(kind)
  return !auto && type !== 'invalid' && type !== 'submit'
}
