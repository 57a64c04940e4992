import type { EventEmitter } from 'node:events'
import type { Job, JobsOptions, JobType, Queue, QueueOptions, WorkerOptions } from 'bullmq'
import type { BatchJob, JOB_NAME } from './job.ts'

/** A store that can hold the queue. It is implemented by Redis and by Postgres, and selected in `open-queue.ts`. */
export interface QueueBackend {
  /** Connects for adding and inspecting jobs. The caller closes the connection. */
  connect(options: ConnectionOptions): QueueConnection
  /** Runs jobs on connections of its own, which are restored after an outage. The caller closes the worker. */
  startWorker(run: RunJob, options: QueueWorkerOptions): QueueWorker
}

export interface ConnectionOptions {
  /** Connections to Postgres at most; a Redis needs one, a cluster one to each master. */
  readonly maxConnections: number
  /** Is called with the errors of connections, which are restored by themselves. */
  readonly onError: (error: Error) => void
  /** Is called when the store is set up so that it may lose jobs. */
  readonly onWarning?: ((warning: Error) => void) | undefined
}

export interface QueueConnection {
  /** Opens BullMQ's queues. @throws while the store is unavailable; the next call starts over. */
  openQueue(): Promise<OpenQueue>
  /** Disconnects without waiting for the store. */
  close(): Promise<void>
}

/** The queue on either store: in a Redis Cluster, several of BullMQ's. */
export interface OpenQueue {
  /** Adds a job. In a cluster, its order is that among the jobs of one of the queues. */
  add(job: BatchJob, order: JobsOptions): Promise<unknown>
  readonly jobs: JobsView
  /** Resolves when the store can take a command. @throws when the next attempt to connect fails. */
  untilReady(): Promise<void>
  /** @throws unless the store accepts a write: a full Redis answers PING while it rejects jobs. */
  probe(): Promise<unknown>
  /** Returns whether the store has lost its jobs since the last call of any process. */
  hasLostJobs(): Promise<boolean>
  close(): Promise<void>
}

/** Reads jobs; in a cluster, those of all queues that respond. */
export interface JobsView {
  getJobCounts(...states: JobType[]): Promise<Record<string, number>>
  /** Lists jobs of these states: from each queue those from `start` to `end` in its order, one queue after another in turn. */
  getJobs(states: JobType[], start: number, end: number, oldestFirst: boolean): Promise<BatchJobEntry[]>
  /** Returns the number of connected workers. */
  getWorkersCount(): Promise<number>
}

type BatchJobEntry = Job<BatchJob, void, typeof JOB_NAME>

/** One queue of BullMQ. */
export type BatchQueue = Queue<BatchJob, void, typeof JOB_NAME>

export type RunJob = (job: Job<BatchJob>) => Promise<void>

export interface QueueWorkerOptions extends Omit<WorkerOptions, 'connection'> {
  readonly concurrency: number
  readonly runRetryDelay: number
  /** Is called with connection errors and with the error of every failed attempt of a job. */
  readonly onError: (error: Error) => void
}

export interface QueueWorker {
  /** Waits for the jobs in flight, and for the store to acknowledge them: indefinitely while it is unavailable. */
  close(): Promise<void>
  /** Disconnects without waiting. */
  release(): void
}

/** The options of the queue, which are the same for everyone who opens it: BullMQ stores some of them with the queue. */
export const QUEUE_OPTIONS: Omit<QueueOptions, 'connection'> = {
  streams: { events: { maxLen: 1_000 } },
  defaultJobOptions: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000 },
  },
}

/** Without a listener for `error`, BullMQ prints to stderr. */
export function reportErrors(worker: EventEmitter, onError: (error: Error) => void): void {
  worker.on('error', onError)
  worker.on('failed', (_job, error) => onError(error))
}
