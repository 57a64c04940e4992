import type { Span, SpanContext, SpanOptions } from '@opentelemetry/api'
import { context, ROOT_CONTEXT, SpanStatusCode, trace } from './api.ts'

/** The tracer of the service. It records nothing, and allocates nothing, until `startTracing`. */
export const tracer = trace.getTracer('inkling')

let recordedShare = 0

/** Sets the share of the traces that begin here, 0 to 1, which `startTrace` records; 0 until then. */
export function recordTraces(share: number): void {
  recordedShare = share
}

/**
 * Starts a trace if it is one of those that are recorded. This is decided here, because the SDK would first create a span with ids for each
 * request, of which 99 of 100 are not recorded.
 */
export const startTrace = (name: string, options: SpanOptions): Span | undefined =>
  Math.random() < recordedShare ? tracer.startSpan(name, options, ROOT_CONTEXT) : undefined

/** Spans of sampled traces, one of each. Mostly there is none. */
export type Traces = readonly SpanContext[]

const NONE: Traces = []

/** Work that a sampled trace may have caused. */
export interface Traceable {
  /** The span that caused it; undefined where none is sampled. */
  readonly trace?: SpanContext | undefined
}

/** Returns the span of the current request or batch; undefined where none is sampled. */
export const activeTrace = (): SpanContext | undefined => trace.getActiveSpan()?.spanContext()

/** Returns an item with the trace that caused it; itself where there is none. */
export const withTrace = <T extends object>(item: T, trace: SpanContext | undefined): T & Traceable =>
  trace ? { ...item, trace } : item

/** Lists the traces that caused these pieces of work. */
export function tracesOf(items: Iterable<Traceable>): Traces {
  let traces: SpanContext[] | undefined
  for (const { trace } of items)
    if (trace) {
      traces ??= []
      traces.push(trace)
    }
  return traces ?? NONE
}

/**
 * Does work, in a span of each of these traces: work on a batch belongs to all of them. Without traces, it only does the work.
 *
 * An error is recorded by its name alone, since its message may contain data.
 *
 * @param work gets the started spans, as the parents of others.
 */
export function traced<T>(
  name: string,
  parents: Traces,
  work: (spans: Traces) => T,
  options?: SpanOptions,
): T {
  if (parents.length === 0) return work(NONE)
  const spans = parents.map((parent) => tracer.startSpan(name, options, within(parent)))
  return endWith(spans, () => work(spans.map((span) => span.spanContext())))
}

/**
 * Does work on a batch, in one span of the first of these traces, with links to all of them. The span is active meanwhile. Without traces,
 * it only does the work.
 */
export function tracedBatch<T>(
  name: string,
  traces: Traces,
  work: (span: SpanContext | undefined) => T,
  options?: SpanOptions,
): T {
  const [first] = traces
  if (!first) return work(undefined)
  const links = traces.map((context) => ({ context }))
  const span = tracer.startSpan(name, { ...options, links }, within(first))
  return endWith([span], () =>
    context.with(trace.setSpan(ROOT_CONTEXT, span), () => work(span.spanContext())),
  )
}

/** Does work in a span of the current request, if that is sampled. */
export function tracedActive<T>(name: string, work: () => T): T {
  const active = activeTrace()
  return active ? traced(name, [active], work) : work()
}

const within = (parent: SpanContext) => trace.setSpanContext(ROOT_CONTEXT, parent)

/** Ends the spans once the work is done. */
function endWith<T>(spans: readonly Span[], work: () => T): T {
  const end = () => {
    for (const span of spans) span.end()
  }
  const fail = (error: unknown): never => {
    for (const span of spans) setFailed(span, error)
    end()
    throw error
  }
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      end()
      return result
    }
    const ended = result.then((value) => {
      end()
      return value
    }, fail)
    return ended as T
  } catch (error) {
    return fail(error)
  }
}

/** Marks a span as failed. @see https://opentelemetry.io/docs/specs/semconv/general/recording-errors/ */
export function setFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', nameOf(error))
}

/** The code of an error, such as `malformed_json` or `ECONNREFUSED`, or its class: never a value. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
