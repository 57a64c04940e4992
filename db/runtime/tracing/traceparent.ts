import type { SpanContext } from '@opentelemetry/api'
import { isSpanContextValid, TraceFlags } from './api.ts'

/** Version, trace, span, flags; versions after 00 may add fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Flag of a trace that is recorded. The others have no meaning here. */
const SAMPLED = TraceFlags.SAMPLED

/**
 * Returns the span that a `traceparent` names; undefined unless it is valid.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? []
  if (version === '00' && more !== undefined) return undefined
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

/** Returns the `traceparent` of a span. */
export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & SAMPLED ? '01' : '00'}`
