/** The load generator process: runs the plans that its parent sends, and ends with it. */
import type { FromLoad, ToLoad } from './load-plan.ts'
import { runLoad } from './run-load.ts'

const answer = (message: FromLoad) => void process.send?.(message)

process.on('message', ({ id, plans }: ToLoad) => {
  Promise.all(plans.map(runLoad)).then(
    (results) => answer({ id, results }),
    (error) => answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined) // the parent decides when to stop
