import { fork } from 'node:child_process'
import type { FromLoad, LoadPlan, LoadResult, ToLoad } from './load-plan.ts'

/** A load generator process. */
export interface Load {
  /** Runs a plan. */
  run(plan: LoadPlan): Promise<LoadResult>
  /** Runs plans concurrently. */
  runTogether(plans: readonly LoadPlan[]): Promise<readonly LoadResult[]>
  close(): void
}

/** Starts the load generator in a separate process. */
export function openLoad(signal: AbortSignal): Load {
  const child = fork(new URL('load-process.ts', import.meta.url), { execArgv: [], stdio: 'inherit' })
  const waiting = new Map<
    number,
    { resolve: (results: readonly LoadResult[]) => void; reject: (e: Error) => void }
  >()
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  let calls = 0
  child.on('message', ({ id, results, error }: FromLoad) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (results) call?.resolve(results)
    else call?.reject(new Error(error))
  })
  child.on('exit', () => failAll(new Error('The process that sends load ended')))
  signal.addEventListener('abort', () => failAll(signal.reason))

  const runTogether = (plans: readonly LoadPlan[]) => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<readonly LoadResult[]>()
    const id = ++calls
    waiting.set(id, { resolve, reject })
    child.send({ id, plans } satisfies ToLoad)
    return promise
  }
  return {
    runTogether,
    async run(plan) {
      const [result] = await runTogether([plan])
      if (!result) throw new Error('A load gave no result')
      return result
    },
    close: () => void child.kill('SIGKILL'), // it has no state
  }
}
