import { createRequire } from 'node:module'

/**
 * The interface of OpenTelemetry, as the CommonJS module that prom-client has loaded: an `import` would load its 51 files once more at every start.
 */
export const {
  context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} = createRequire(import.meta.url)('@opentelemetry/api') as typeof import('@opentelemetry/api')
