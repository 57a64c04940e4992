/** Counts which of 2,000 traces are recorded with the variables of this process, by who begins them; prints the counts as JSON. */
import { pino } from 'pino'
import { z } from 'zod'
import { ROOT_CONTEXT, TraceFlags, trace } from '../../db/runtime/tracing/api.ts'
import { startTracing } from '../../db/runtime/tracing/start-tracing.ts'
import { startTrace, tracer } from '../../db/runtime/tracing/traced.ts'
import { tracingVariables } from '../../db/runtime/tracing/tracing-variables.ts'

const TRACES = 2_000

const env = z.object(tracingVariables).parse(process.env)
await startTracing({ ...env, DRAIN_SECONDS: 1 }, 'test', pino({ level: 'silent' }))

const id = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('')

const ofCaller = (traceFlags: number) => () => {
  const caller = { traceId: id(32), spanId: id(16), traceFlags, isRemote: true }
  return tracer.startSpan('continued', {}, trace.setSpanContext(ROOT_CONTEXT, caller))
}
const begin = {
  own: () => startTrace('own', {}),
  sampled: ofCaller(TraceFlags.SAMPLED),
  not: ofCaller(TraceFlags.NONE),
}

const counts = Object.entries(begin).map(([name, start]) => {
  let recorded = 0
  for (let n = 0; n < TRACES; n++) {
    const span = start()
    if (!span?.isRecording()) continue
    recorded++
    // what a trace consists of is recorded with it, also where its flag was not decisive
    const child = tracer.startSpan('child', {}, trace.setSpanContext(ROOT_CONTEXT, span.spanContext()))
    if (!child.isRecording()) throw new Error('A child is missing')
  }
  return [name, recorded / TRACES]
})
process.stdout.write(JSON.stringify(Object.fromEntries(counts)))
process.exit(0)
