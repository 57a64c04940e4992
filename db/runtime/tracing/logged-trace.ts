import type { LoggerOptions } from 'pino'
import { trace } from './api.ts'

const NOTHING = {}

/** Options of a log that adds the `traceId` of the active span to its entries. A span that has ended, such as the one in which a connection was opened, counts as none. */
export const LOGGED_TRACE: Pick<LoggerOptions, 'mixin' | 'mixinMergeStrategy'> = {
  mixin() {
    const span = trace.getActiveSpan()
    return span?.isRecording() ? { traceId: span.spanContext().traceId } : NOTHING
  },
  mixinMergeStrategy: (entry, added) => (added === NOTHING ? entry : { ...added, ...entry }),
}
