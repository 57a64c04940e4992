import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'

/** Serialises batches of this process that share a dataset. */
export interface InFlightBatches {
  /**
   * Does the work on a batch once no other batch of this process that shares a dataset, and is as small or smaller, is in
   * flight. A dataset that was enqueued twice, as a reader does, is then decoded once: the second batch finds it settled.
   *
   * Does not wait for larger batches, which may take long.
   */
  afterOverlapping<T>(keys: readonly DatasetKey[], work: () => Promise<T>): Promise<T>
}

interface Batch {
  readonly size: number
  readonly done: Promise<unknown>
}

export function openInFlightBatches(): InFlightBatches {
  const byDataset = new Map<string, Batch>()

  return {
    async afterOverlapping(keys, work) {
      const names = keys.map(keyText)
      const before = names
        .flatMap((name) => byDataset.get(name) ?? [])
        .filter(({ size }) => size <= keys.length)
      const done = Promise.allSettled(before.map((batch) => batch.done)).then(work)
      const batch = { size: keys.length, done: done.catch(() => undefined) }
      for (const name of names) byDataset.set(name, batch)
      try {
        return await done
      } finally {
        for (const name of names) if (byDataset.get(name) === batch) byDataset.delete(name)
      }
    },
  }
}
