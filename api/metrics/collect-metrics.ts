import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { AggregatorRegistry, Counter, Gauge, type PrometheusContentType, type Registry } from 'prom-client'
import type { Presented } from '../../db/metrics/metrics-page.ts'
import { shareConcurrent } from '../../db/runtime/share-concurrent.ts'
import { Answer, type ProcessMetrics, QUESTION } from './cluster-messages.ts'

/** Time for a process to answer; otherwise its previous answer is used. */
const ANSWER_MS = 1_000

/** Metrics that only rise: those of processes that have ended still count. */
const CUMULATIVE: ReadonlySet<string> = new Set(['counter', 'histogram'])

/**
 * Opens the metrics of all processes of a cluster, in its primary: the sum of each, except where its `aggregator` says otherwise.
 *
 * The counts of a process are kept when it ends. If it is killed, its counts since its last answer are lost.
 *
 * @param own metrics of the primary.
 */
export function openCollectedMetrics(own: Registry): Presented {
  const latest = new Map<Worker, ProcessMetrics>()
  const asked = new Map<Worker, () => void>()
  let ended: ProcessMetrics = []
  new Gauge({
    name: 'inkling_web_processes',
    help: 'Processes of WEB_CONCURRENCY that run',
    registers: [own],
    collect() {
      this.set(listWorkers().length)
    },
  })
  const exits = new Counter({
    name: 'inkling_web_process_exits_total',
    help: 'Processes of WEB_CONCURRENCY that exited',
    registers: [own],
  })

  cluster.on('exit', () => exits.inc())
  cluster.on('message', (worker, message) => {
    const answer = Answer.safeParse(message)
    if (!answer.success) return
    latest.set(worker, answer.data.metrics.map(withoutNulls))
    asked.get(worker)?.()
  })
  // comes after the last message, which `exit` may not
  cluster.on('disconnect', (worker) => {
    const rising = latest.get(worker)?.filter(({ type }) => CUMULATIVE.has(type))
    if (rising) ended = aggregate([ended, rising]).getMetricsAsArray() as unknown as ProcessMetrics
    latest.delete(worker)
    asked.get(worker)?.()
    asked.delete(worker)
  })

  async function ask(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    asked.set(worker, resolve)
    worker.send(QUESTION, (error: Error | null) => error && resolve())
    await promise
  }

  async function collect(): Promise<string> {
    const late = new AbortController()
    await Promise.race([
      Promise.all(listWorkers().map(ask)),
      delay(ANSWER_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ])
    late.abort()
    const ownMetrics = (await own.getMetricsAsJSON()) as unknown as ProcessMetrics
    return aggregate([ownMetrics, ...latest.values(), ended]).metrics()
  }

  return { contentType: own.contentType, present: shareConcurrent(collect) }
}

const aggregate = (all: readonly ProcessMetrics[]) =>
  AggregatorRegistry.aggregate<PrometheusContentType>([...all])

const listWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() ? [worker] : []))

const withoutNulls = (metric: ProcessMetrics[number]): ProcessMetrics[number] => ({
  ...metric,
  values: metric.values.filter(({ value }) => value !== null),
})
