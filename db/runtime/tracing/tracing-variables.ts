import { z } from 'zod'
import { url } from '../env.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const share = z
  .string()
  .regex(/^(0|1|[01]?\.\d+)$/, 'must be a number from 0 to 1')
  .transform(Number)
  .refine((value) => value <= 1, 'must be a number from 0 to 1')

/**
 * Variables of traces, as OpenTelemetry names them. Its SDK reads others itself, such as `OTEL_EXPORTER_OTLP_HEADERS`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https']).optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf']).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_traceidratio'),
  OTEL_TRACES_SAMPLER_ARG: share.default(0.01),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).optional(),
}

export type TracingEnv = z.output<z.ZodObject<typeof tracingVariables>>

/** Whether this process records traces. */
export const isTracing = (
  env: Pick<TracingEnv, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_SDK_DISABLED'>,
): boolean => env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && env.OTEL_SDK_DISABLED !== 'true'
