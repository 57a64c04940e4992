/** The process of the decoding ceiling: the number of threads that its parent requests, each with the same number of captures. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export type ToDecode = { readonly file: string; readonly threads: number; readonly count: number }

/** Time from the first capture to the last, in milliseconds. */
export type FromDecode = { readonly ms: number }

const threads: Worker[] = []

process.on('message', async ({ file, threads: wanted, count }: ToDecode) => {
  while (threads.length < wanted)
    threads.push(new Worker(new URL('decode-thread.ts', import.meta.url), { workerData: file }))
  const each = Math.ceil(count / wanted)
  const startedAt = performance.now()
  await Promise.all(
    threads.slice(0, wanted).map(async (thread) => {
      thread.postMessage(each)
      await once(thread, 'message')
    }),
  )
  process.send?.({ ms: performance.now() - startedAt } satisfies FromDecode)
})
process.on('disconnect', () => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined) // the parent decides when to stop
