import type { Bell, DatasetKey } from '../../db/queue/producer.ts'

/** As many as an upload's job carries. */
const GROUP_ROWS = 128

/**
 * Rings for datasets in groups, up to the first that the queue does not hear: the relay rings for the others.
 *
 * @throws what kept the queue from hearing.
 */
export async function ringGroups(bell: Bell, keys: readonly DatasetKey[], rank = 0): Promise<void> {
  for (let at = 0; at < keys.length; at += GROUP_ROWS)
    await bell.ring(keys.slice(at, at + GROUP_ROWS), { rank })
}
