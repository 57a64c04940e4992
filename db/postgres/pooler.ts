import type pg from 'pg'
import { ClosingClient } from './closing-client.ts'
import { connectionConfig, type DatabaseOptions } from './database.ts'

/** Timeout of a probe's connection and of its statements. */
const PROBE_MS = 3_000

/**
 * Whether a connection leads to a pooler instead of Postgres. A pooler shares few processes of Postgres among its clients, so the id
 * that it gives a client, for cancelling statements, is not the process's.
 *
 * @see PostgreSQL manual, "Message Formats", BackendKeyData
 * @throws while Postgres is unavailable.
 */
export async function leadsToPooler(options: DatabaseOptions): Promise<boolean> {
  return await withProbe(options, async (probe) => (await findProcess(probe)) !== announcedProcess(probe))
}

/**
 * Whether an idle connection keeps its session of Postgres, with its locks. A pooler in transaction mode gives the session to the
 * next client that begins a transaction.
 */
export async function keepsSession(client: pg.Client, options: DatabaseOptions): Promise<boolean> {
  const process = await findProcess(client)
  if (process === announcedProcess(client)) return true
  return await withProbe(options, async (probe) => {
    await probe.query('begin')
    return (await findProcess(probe)) !== process
  })
}

async function withProbe<T>(options: DatabaseOptions, work: (probe: pg.Client) => Promise<T>): Promise<T> {
  const probe = new ClosingClient({
    ...connectionConfig(options),
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  probe.on('error', () => undefined) // the statement in progress fails too
  await probe.connect()
  try {
    return await work(probe)
  } finally {
    await probe.end()
  }
}

async function findProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ process: number }>('select pg_backend_pid() as process')
  return rows[0]?.process
}

/** Returns the id that the other end has given this client. */
const announcedProcess = (client: pg.Client) => (client as unknown as { processID: number }).processID
