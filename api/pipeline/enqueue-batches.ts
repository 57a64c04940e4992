import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'

/** As many as an upload's job carries. */
const GROUP_ROWS = 128

/**
 * Rings for datasets in groups, up to the first that the queue does not hear: the relay rings for the others.
 *
 * @throws what kept the queue from hearing.
 */
export async function ringGroups(
  producer: QueueProducer,
  keys: readonly DatasetKey[],
  rank = 0,
): Promise<void> {
  for (let at = 0; at < keys.length; at += GROUP_ROWS)
    await producer.enqueue(keys.slice(at, at + GROUP_ROWS), { rank })
}
