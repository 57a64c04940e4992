import type { Extracted, SessionInput } from './extractor.ts'
import { share } from './statistics.ts'

const VISITS: ReadonlySet<string> = new Set(['focus', 'key', 'input', 'paste'])

/**
 * Form fields that the user visited, returned to and pasted into.
 *
 * A field counts once however often it is pasted into: one paste may occur as a `paste` and as a pasted `input`.
 * Paste events without a field count as one unnamed field; other events without a field are ignored.
 */
export function extractFields({
  events,
}: SessionInput): Extracted<'behaviour_fields_count' | 'behaviour_refocus_share' | 'behaviour_pastes_count'> {
  const visited = new Set<string>()
  const pasted = new Set<string>()
  let focuses = 0
  let returns = 0
  let last: string | undefined
  for (const event of events?.formEvents ?? []) {
    const { type, target } = event
    if (!VISITS.has(type)) continue
    if (type === 'paste' || (type === 'input' && event.pasted)) pasted.add(target ?? '')
    if (target == null) continue
    if (type === 'focus') {
      focuses++
      if (visited.has(target)) returns++
    }
    if (target !== last) visited.add(target) // most events are keys in the same field
    last = target
  }

  return {
    behaviour_fields_count: events ? visited.size : undefined,
    behaviour_refocus_share: share(returns, focuses),
    behaviour_pastes_count: events ? pasted.size : undefined,
  }
}
