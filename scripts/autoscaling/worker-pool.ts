import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandOptions } from '../servers/start-command.ts'
import { startCommand } from '../servers/start-command.ts'
import type { ManagedProcess } from '../servers/start-supervisor.ts'

/** Real worker processes, started and stopped while others work. */
export interface WorkerPool {
  /**
   * Starts or stops workers until this number is running; does not wait for it. The newest ones are stopped, by SIGTERM.
   *
   * @throws if a worker could not be started, or ended by itself.
   */
  scale(count: number): void
  /** Workers that process datasets. */
  countRunning(): number
  /** Resolves when this number of workers is running. */
  untilRunning(count: number): Promise<void>
  /** Number of workers started, and the time from the start of each process to its end, until now. */
  measure(): { readonly started: number; readonly workerMs: number }
  /** Stops all workers. */
  close(): Promise<void>
}

interface PoolWorker {
  readonly startedAt: number
  endedAt: number | undefined
  running: boolean
  stopping: boolean
  readonly process: Promise<ManagedProcess>
}

const LOOK_EVERY_MS = 100

/** @param command of the n-th worker; its log has the line "working" once it takes jobs. */
export function openWorkerPool(command: (n: number) => CommandOptions, signal: AbortSignal): WorkerPool {
  const workers: PoolWorker[] = []
  const stops: Promise<void>[] = []
  let failure: unknown

  function start(): void {
    const options = command(workers.length + 1)
    const worker: PoolWorker = {
      startedAt: performance.now(),
      endedAt: undefined,
      running: false,
      stopping: false,
      process: startCommand(options),
    }
    workers.push(worker)
    void watch(worker, options.log).catch((error: unknown) => {
      failure ??= error
    })
  }

  async function watch(worker: PoolWorker, log: string): Promise<void> {
    const process = await worker.process
    void process.ended.then((how) => {
      if (!worker.stopping) failure ??= new Error(`A worker ${how}`)
    })
    while (!worker.stopping && !readFileSync(log, 'utf8').includes('"working"'))
      await delay(LOOK_EVERY_MS, undefined, { signal })
    worker.running = !worker.stopping
  }

  async function stop(worker: PoolWorker): Promise<void> {
    worker.stopping = true
    worker.running = false
    const process = await worker.process.catch(() => undefined)
    await process?.stop()
    worker.endedAt = performance.now()
  }

  const listKept = () => workers.filter(({ stopping }) => !stopping)
  const countRunning = () => workers.filter(({ running }) => running).length

  return {
    scale(count) {
      if (failure) throw failure
      const kept = listKept()
      for (const worker of kept.slice(count)) stops.push(stop(worker))
      for (let n = kept.length; n < count; n++) start()
    },
    countRunning,
    async untilRunning(count) {
      while (countRunning() < count) {
        if (failure) throw failure
        await delay(LOOK_EVERY_MS, undefined, { signal })
      }
    },
    measure() {
      const now = performance.now()
      const workerMs = workers.reduce((sum, { startedAt, endedAt = now }) => sum + endedAt - startedAt, 0)
      return { started: workers.length, workerMs }
    },
    async close() {
      await Promise.all([...stops, ...listKept().map(stop)])
    },
  }
}
