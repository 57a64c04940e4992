import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { serviceVersion } from '../runtime/version.ts'
import { addEventLoopLag } from './event-loop-lag.ts'

/** Sampling interval of the event loop's delay in prom-client's own metrics, in milliseconds. */
const PRECISION_MS = 100

/** Opens the metrics of this process: memory, processor time, garbage collection, event loop, and what it runs. */
export function openRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION_MS })
  addEventLoopLag(registry)
  new Gauge({
    name: 'inkling_build_info',
    help: 'Always 1; the labels have the version of this process and its newest migration',
    labelNames: ['version', 'schema'],
    registers: [registry],
    aggregator: 'first',
  }).set({ ...serviceVersion() }, 1)
  return registry
}
