import type { SpanContext } from '@opentelemetry/api'
import { TraceFlags } from '../../db/runtime/tracing/api.ts'
import { parseTraceparent } from '../../db/runtime/tracing/traceparent.ts'

/** Traces a second that each process records at the request of callers. All callers share this limit, with or without a credential. */
const RECORDED_PER_SECOND = 10

const LONGEST_TRACEPARENT = 200

/**
 * Opens the reading of `traceparent`. The flag of a caller decides whether its trace is recorded, up to the limit above: further traces
 * continue without being recorded here.
 */
export function openCallerTraces(
  perSecond = RECORDED_PER_SECOND,
): (traceparent: string | string[] | undefined) => SpanContext | undefined {
  let second = 0
  let recorded = 0
  const admits = () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) recorded = 0
    second = now
    return ++recorded <= perSecond
  }
  return (traceparent) => {
    if (typeof traceparent !== 'string' || traceparent.length > LONGEST_TRACEPARENT) return undefined
    const caller = parseTraceparent(traceparent)
    if (!caller || caller.traceFlags === TraceFlags.NONE || admits()) return caller
    return { ...caller, traceFlags: TraceFlags.NONE }
  }
}
