import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Sampler } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import { logErrors } from '../log.ts'
import { serviceVersion } from '../version.ts'
import { withTimeout } from '../with-timeout.ts'
import { context, DiagLogLevel, diag, trace } from './api.ts'
import { recordTraces } from './traced.ts'
import { isTracing, type TracingEnv } from './tracing-variables.ts'

/** The recording of traces by this process. */
export interface Tracing {
  /** Sends the remaining spans. Resolves soon even when the collector is unavailable. */
  stop(): Promise<void>
}

const NOT_INSTALLED =
  'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry SDK is not installed. Install it with: npm run install:tracing'

/** Share of DRAIN_SECONDS for sending the remaining spans, and its maximum. */
const FLUSH_SHARE = 0.1
const MAX_FLUSH_MS = 5_000

/** Spans that wait to be sent; further ones are dropped. One takes 1 to 2 KB. */
const MAX_WAITING_SPANS = 2_048

/**
 * Starts to record traces and to send them to `OTEL_EXPORTER_OTLP_ENDPOINT`; does nothing without it. Spans are sent every 5 s beside other
 * work. While the collector is unavailable they are dropped, and the log gets one entry a minute.
 *
 * The SDK is loaded only here, so that a process without tracing needs the API alone. Where it is not installed, the process prints the command
 * that installs it and exits.
 *
 * @param service its name, unless `OTEL_SERVICE_NAME` is set.
 */
export async function startTracing(
  env: TracingEnv & { readonly DRAIN_SECONDS: number },
  service: string,
  log: Logger,
): Promise<Tracing | undefined> {
  if (!isTracing(env)) return undefined
  const sdk = await loadSdkOrExit()
  const warn = logErrors(log, 'tracing')
  const ignore = () => undefined
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const resource = sdk
    .defaultResource()
    .merge(
      sdk.resourceFromAttributes({
        'service.name': service,
        'service.version': serviceVersion().version,
        'service.instance.id': randomUUID(),
        'host.name': hostname(),
        'process.pid': process.pid,
      }),
    )
    .merge(sdk.detectResources({ detectors: [sdk.envDetector] })) // OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
  const provider = new sdk.TracerProvider({
    resource,
    sampler: samplerOf(env, sdk),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new sdk.OTLPTraceExporter(), maxQueueSize: MAX_WAITING_SPANS }),
    ],
  })
  context.setGlobalContextManager(new sdk.AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  recordTraces(shareOf(env))
  const flushMs = Math.min(MAX_FLUSH_MS, env.DRAIN_SECONDS * 1_000 * FLUSH_SHARE)
  return {
    stop: () => withTimeout(flushMs, 'The collector of traces', provider.shutdown()).catch(warn),
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdkOrExit>>

async function loadSdkOrExit() {
  try {
    const [trace, exporter, resources, contexts] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
    ])
    return { ...trace, ...exporter, ...resources, ...contexts }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    process.stderr.write(`${NOT_INSTALLED}\n`)
    process.exit(1)
  }
}

/** Share of the traces that begin here which are recorded. @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/, "General SDK Configuration" */
function shareOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingEnv): number {
  if (name.endsWith('always_on')) return 1
  return name.endsWith('always_off') ? 0 : share
}

/** Records what `startTrace` starts; of traces that callers began, those with the flag *sampled*, or the same share whatever their flag. */
function samplerOf(env: TracingEnv, sdk: Sdk): Sampler {
  const root = new sdk.AlwaysOnSampler()
  if (env.OTEL_TRACES_SAMPLER.startsWith('parentbased_')) return new sdk.ParentBasedSampler({ root })
  const share = new sdk.TraceIdRatioBasedSampler(shareOf(env))
  return new sdk.ParentBasedSampler({ root, remoteParentSampled: share, remoteParentNotSampled: share })
}
