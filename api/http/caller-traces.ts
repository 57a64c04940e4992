import type { SpanContext } from '@opentelemetry/api'
import { TraceFlags } from '../../db/runtime/tracing/api.ts'
import { parseTraceparent } from '../../db/runtime/tracing/traceparent.ts'

/** Traces a second that callers may have recorded, of each process: all of them share it, known or not. */
const RECORDED_PER_SECOND = 10

const LONGEST_TRACEPARENT = 200

/**
 * Opens the reading of `traceparent`. A caller decides whether its trace is recorded, as others do that continue it, but only as often as the
 * service can afford: beyond that, the trace goes on without being recorded here.
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
