import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '../../db/runtime/tracing/api.ts'
import { startTrace } from '../../db/runtime/tracing/traced.ts'
import { traceparentOf } from '../../db/runtime/tracing/traceparent.ts'
import type { Sender } from './send-message.ts'

/**
 * Records sampled messages, each in a span whose trace the receiver may continue by its `traceparent`. The span is the first of its trace: events
 * are delivered from the database, which does not store traces.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
 */
export const traceSender = (sender: Sender): Sender => ({
  ...sender,
  async send(url, headers, body) {
    const span = startTrace('POST', CLIENT)
    if (!span) return sender.send(url, headers, body)
    const traced = { ...headers, traceparent: traceparentOf(span.spanContext()) }
    const answer = await context.with(trace.setSpan(ROOT_CONTEXT, span), () => sender.send(url, traced, body))
    const { status } = answer
    span.setAttributes({
      'http.request.method': 'POST',
      'server.address': URL.parse(url)?.hostname,
      'http.response.status_code': status ?? undefined,
    })
    if (status === null || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    return answer
  },
})

const CLIENT = { kind: SpanKind.CLIENT }
