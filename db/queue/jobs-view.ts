import type { BatchQueue, JobsView } from './backend.ts'

/** Returns the results of the queues that respond. @throws the error of one if none does. */
export async function gather<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(requests)
  const results = settled.flatMap((request) => (request.status === 'fulfilled' ? [request.value] : []))
  const failed = settled.find((request) => request.status === 'rejected')
  if (results.length === 0 && failed) throw failed.reason
  return results
}

/**
 * Puts the jobs of several queues together.
 *
 * @param database number of their database of Redis.
 * @param inTime limits the time that a queue may take.
 */
export function viewOf(
  queues: readonly BatchQueue[],
  database: number,
  inTime: <T>(request: Promise<T>) => Promise<T>,
): JobsView {
  const fromEach = <T>(ask: (queue: BatchQueue) => Promise<T>) =>
    gather(queues.map((queue) => inTime(ask(queue))))
  return {
    async getJobCounts(...states) {
      const sums: Record<string, number> = {}
      for (const counts of await fromEach((queue) => queue.getJobCounts(...states)))
        for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count
      return sums
    },
    async getJobs(...range) {
      const lists = await fromEach((queue) => queue.getJobs(...range))
      const longest = Math.max(...lists.map((list) => list.length))
      return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
    },
    async getWorkersCount() {
      const lists = await fromEach((queue) => queue.getWorkers()) // of all databases of the server
      // each worker has a connection for each queue
      return Math.max(...lists.map((list) => list.filter(({ db }) => db === String(database)).length))
    },
  }
}
