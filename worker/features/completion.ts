import type { CaptureEvent } from '../../db/capture/event.ts'
import type { Extracted, SessionInput } from './extractor.ts'
import { inUnits, SECOND_MS } from './timestamps.ts'

/**
 * Time to complete the form, and how its submission went.
 *
 * Completion needs two form events. Active time, submissions and rejections are undefined without `activeMs`, active time also
 * if it exceeds the session.
 */
export function extractCompletion({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<
  'behaviour_completion_s' | 'behaviour_active_s' | 'behaviour_submits_count' | 'behaviour_invalid_count'
> {
  const activeMs = behaviour?.activeMs ?? undefined
  const count = (type: string) =>
    activeMs === undefined ? undefined : events?.formEvents.filter((event) => event.type === type).length
  return {
    behaviour_completion_s: events && inUnits(SECOND_MS, completionMs(events.formEvents, events.visibility)),
    behaviour_active_s:
      behaviour && activeMs !== undefined && activeMs <= behaviour.durationMs
        ? inUnits(SECOND_MS, activeMs)
        : undefined,
    behaviour_submits_count: count('submit'),
    behaviour_invalid_count: count('invalid'),
  }
}

/** From the first to the last form event, without the time in which the page was hidden. */
function completionMs(
  formEvents: readonly CaptureEvent[],
  visibility: readonly CaptureEvent[],
): number | undefined {
  const from = formEvents[0]?.t
  const to = formEvents.at(-1)?.t
  if (from === undefined || to === undefined || formEvents.length < 2) return undefined

  const within = (t: number) => Math.min(Math.max(t, from), to)
  let hiddenMs = 0
  let hiddenAt: number | undefined
  for (const { t, phase } of visibility) {
    if (phase === 'hidden') hiddenAt ??= t
    else if (phase === 'visible' && hiddenAt !== undefined) {
      hiddenMs += within(t) - within(hiddenAt)
      hiddenAt = undefined
    }
  }
  return to - from - hiddenMs
}
