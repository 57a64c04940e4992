import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** Interval of the samples in milliseconds: 50 a second cost less than 0.01 % of a core. */
const RESOLUTION_MS = 20

const PERCENTS = { p50: 50, p99: 99, max: 100 } as const

/**
 * Adds how late timers of this process are: how long a request waits for the thread. Each collection covers the time since the one before.
 *
 * Under WEB_CONCURRENCY, the largest of the processes.
 */
export function addEventLoopLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  new Gauge({
    name: 'inkling_event_loop_lag_seconds',
    help: 'Seconds that timers were late since the last scrape, by statistic: p50, p99 or max',
    labelNames: ['statistic'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      for (const [statistic, percent] of Object.entries(PERCENTS))
        this.set({ statistic }, lagOf(delays, percent))
      delays.reset()
    },
  })
}

/** A sample is the time between two runs of a timer, which includes its interval. */
const lagOf = (delays: ReturnType<typeof monitorEventLoopDelay>, percent: number): number =>
  delays.count === 0 ? 0 : Math.max(0, delays.percentile(percent) / 1e6 - RESOLUTION_MS) / 1_000
