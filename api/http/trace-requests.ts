import type { Middleware } from 'koa'
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '../../db/runtime/tracing/api.ts'
import { setFailed, startTrace, tracer } from '../../db/runtime/tracing/traced.ts'
import { traceparentOf } from '../../db/runtime/tracing/traceparent.ts'
import { openCallerTraces } from './caller-traces.ts'
import type { RequestState } from './request-state.ts'

/**
 * Records sampled requests, each in a span that continues the trace of its `traceparent`, and names the span in `traceresponse`. The span has no
 * path, which may contain a reference number, no address and nothing of a body.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
export function traceRequests(): Middleware<RequestState> {
  const callerOf = openCallerTraces()
  return (ctx, next) => {
    const caller = callerOf(ctx.req.headers.traceparent)
    const span = caller
      ? tracer.startSpan(ctx.method, SERVER, trace.setSpanContext(ROOT_CONTEXT, caller))
      : startTrace(ctx.method, SERVER)
    if (!span?.isRecording()) return next()

    const spanContext = span.spanContext()
    ctx.state.traceId = spanContext.traceId
    ctx.res.setHeader('traceresponse', traceparentOf(spanContext))
    ctx.res.once('close', () => {
      const { route, requestId, subscriptionId, error } = ctx.state
      const status = ctx.res.statusCode
      if (route !== undefined) span.updateName(`${ctx.method} ${route}`)
      span.setAttributes({
        'http.request.method': ctx.method,
        'http.route': route,
        'http.response.status_code': status,
        'inkling.request_id': requestId,
        'inkling.subscription_id': subscriptionId,
      })
      if (error !== undefined) setFailed(span, error)
      else if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    return context.with(trace.setSpan(ROOT_CONTEXT, span), next)
  }
}

const SERVER = { kind: SpanKind.SERVER }
