import type { JobsView } from './backend.ts'
import { type LazyQueue, openQueue, type QueueLocation } from './open-queue.ts'

/** The queue as the pages for operators read it, on connections of its own. */
export interface QueueView {
  /** @throws while the queue is unavailable, within 2 s. */
  open(): Promise<JobsView>
  close(): Promise<void>
}

const CHECK_MS = 2_000
/** Connections to Postgres at most, where it has the queue. */
export const VIEW_CONNECTIONS = 2

/** Opens no connection before the first call of `open`. `onError` is called when connections break; they are restored. */
export function openQueueView(location: QueueLocation, onError: (error: Error) => void): QueueView {
  let view: LazyQueue | undefined
  return {
    open() {
      view ??= openQueue(location, { maxConnections: VIEW_CONNECTIONS, onError })
      return view.request(CHECK_MS, async ({ jobs }) => {
        await jobs.getJobCounts('waiting')
        return jobs
      })
    },
    close: async () => view?.close(),
  }
}
