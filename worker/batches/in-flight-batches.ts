import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'

/** What the groups of this process are at. */
export interface InFlightBatches {
  /**
   * Does the work on a group once no other one of this process, as small or smaller, is at one of its datasets. So a
   * dataset that is rung for twice, as a reader does, is decoded once: the second group finds it settled.
   *
   * A dataset that is part of a larger group is not waited for: that may take long.
   */
  afterOverlapping<T>(keys: readonly DatasetKey[], work: () => Promise<T>): Promise<T>
}

interface Group {
  readonly size: number
  readonly done: Promise<unknown>
}

export function openInFlightBatches(): InFlightBatches {
  const groups = new Map<string, Group>()

  return {
    async afterOverlapping(keys, work) {
      const names = keys.map(keyText)
      const before = names.flatMap((name) => groups.get(name) ?? []).filter(({ size }) => size <= keys.length)
      const done = Promise.allSettled(before.map((group) => group.done)).then(work)
      const group = { size: keys.length, done: done.catch(() => undefined) }
      for (const name of names) groups.set(name, group)
      try {
        return await done
      } finally {
        for (const name of names) if (groups.get(name) === group) groups.delete(name)
      }
    },
  }
}
