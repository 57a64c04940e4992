import type { components } from '../../client/openapi.d.ts'

type Outcome = NonNullable<components['schemas']['MadeCaptures']['outcome']>

/** What each outcome of a made-up capture is. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, { label: string; text: string }>> = {
  ready: { label: 'Ready', text: 'The insight is ready within a second.' },
  invalid: { label: 'Invalid', text: 'The data cannot be decoded, for one of several reasons.' },
  slow: { label: 'Slow', text: 'Processing begins after 10 seconds. Until then, the insight is not ready.' },
  no_score: { label: 'No score', text: 'The scorecard test_mode has no score.' },
  ring: { label: 'Ring', text: 'Datasets of one device and several clients, which velocity counts.' },
}
