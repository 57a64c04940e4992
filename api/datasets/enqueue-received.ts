import type { EnqueuedDataset } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { openUploadPriority } from './upload-priority.ts'

/**
 * Opens the enqueueing of datasets that were just committed: one job for each priority of their subscriptions. Callers do not wait for
 * the queue; if it is unavailable, the relay enqueues them later.
 */
export function openEnqueueReceived(
  producer: Pick<QueueProducer, 'tryEnqueue'>,
): (keys: readonly EnqueuedDataset[]) => void {
  const uploadPriority = openUploadPriority()
  return (keys) => {
    const bySubscription = Map.groupBy(keys, ({ subscriptionId }) => subscriptionId)
    const priorities = new Map<number, EnqueuedDataset[]>()
    for (const [subscriptionId, own] of bySubscription) {
      const priority = uploadPriority.priorityOf(subscriptionId, own.length)
      priorities.set(priority, [...(priorities.get(priority) ?? []), ...own])
    }
    for (const [priority, own] of priorities) void producer.tryEnqueue(own, { priority })
  }
}
