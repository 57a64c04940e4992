import { createStart } from './start.ts'

export type { Inkling, Receipt, StartOptions } from './api.ts'
export type { CaptureEvent, Consent, Facts, Field, Graphics, HostFacts, Segment, View } from './wire.ts'

export const start = createStart(async () => (await import('./graphics.ts')).readGraphics)
