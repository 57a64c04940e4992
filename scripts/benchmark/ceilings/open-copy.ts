import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { runToEnd } from '../../servers/run-to-end.ts'
import { readPostgresCpuMs } from '../postgres-cpu.ts'
import { COPIED_COLUMNS, writeCopyFiles } from './write-copy-files.ts'

/** After this time the processes of closed connections have ended, and their processor time is known. */
const ENDED_MS = 100

/** Copies the bytes of uploads into Inkling's table, including indexes, with psql. */
export interface CopyCeiling {
  /** @returns total rows per second on this number of connections, and the processor time of Postgres per row in microseconds. */
  run(connections: number): Promise<{ perSecond: number; postgresUs: number }>
  close(): void
}

/** Opens it on its own migrated database; undefined if psql is not on the PATH. */
export async function openCopyCeiling(options: {
  db: Db
  databaseUrl: string
  uploads: string
  count: number
  directory: string
  postmaster: number
  signal: AbortSignal
}): Promise<CopyCeiling | undefined> {
  const { db, databaseUrl, uploads, count, directory, postmaster, signal } = options
  if (spawnSync('psql', ['--version']).error) return undefined
  const { id: subscriptionId } = await createSubscription(db, 'Copied')
  const written = new Map<number, string[]>()

  const filesFor = (connections: number) => {
    const known = written.get(connections)
    if (known) return known
    const files = Array.from({ length: connections }, (_, at) =>
      join(directory, `copy-${connections}-${at}.bin`),
    )
    writeCopyFiles(uploads, { count, subscriptionId, files })
    written.set(connections, files)
    return files
  }
  const copy = async (file: string) => {
    const printed = await runToEnd(
      'psql',
      [
        '-X',
        '-q',
        databaseUrl,
        '-c',
        '\\timing on',
        '-c',
        `\\copy datasets (${COPIED_COLUMNS}) from '${file}' with (format binary)`,
      ],
      { cwd: directory, env: process.env, signal },
    )
    return Number(/Time: ([\d.]+) ms/.exec(printed)?.[1])
  }
  return {
    async run(connections) {
      const files = filesFor(connections)
      await queryRows(db, 'truncate datasets cascade')
      await queryRows(db, 'checkpoint')
      const cpuBefore = readPostgresCpuMs(postmaster)
      const times = await Promise.all(files.map(copy))
      await delay(ENDED_MS)
      const cpuMs = readPostgresCpuMs(postmaster) - cpuBefore
      const [{ rows } = { rows: 0 }] = await queryRows<{ rows: number }>(
        db,
        'select count(*) as rows from datasets',
      )
      if (rows !== count) throw new Error(`\\copy stored ${rows} of ${count} rows`)
      return {
        perSecond: (count / Math.max(...times)) * 1_000,
        postgresUs: (cpuMs / count) * 1_000,
      }
    },
    close() {
      for (const files of written.values()) for (const file of files) rmSync(file, { force: true })
    },
  }
}
