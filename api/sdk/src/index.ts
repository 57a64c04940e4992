import type { Inkling, StartOptions } from './api.ts'
import { createStart } from './start.ts'

export type { Inkling, Receipt, StartOptions } from './api.ts'
export type { CaptureEvent, Consent, Facts, Field, Graphics, HostFacts, Segment, View } from './wire.ts'

/**
 * Starts to record how the page is handled, and to send it. On a server it does nothing.
 *
 * @throws if `ignore` is not a selector.
 */
export const start: (options: StartOptions) => Inkling = createStart((name) =>
  name === 'facts' ? import('./facts.ts') : import('./graphics.ts'),
)
