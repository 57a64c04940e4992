import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { StartError } from '../cli/start-error.ts'
import { findCommandLine } from './find-command-line.ts'

const Holder = z.object({
  /** Process id of the supervisor. */
  supervisor: z.number(),
  /** Process id of the process that started the supervisor. */
  owner: z.number(),
})

const lockFile = (directory: string) => join(directory, 'supervisor.json')

/**
 * Locks a Postgres home for this process, a supervisor, until it exits.
 *
 * Waits for a supervisor that is still stopping its Postgres because its owner was killed.
 *
 * @throws StartError if the home is in use.
 */
export async function lockPostgresHome(directory: string, owner: number): Promise<void> {
  await waitUntilUnused(directory)
  const complete = `${lockFile(directory)}.${process.pid}`
  writeFileSync(complete, JSON.stringify({ supervisor: process.pid, owner }))
  try {
    linkSync(complete, lockFile(directory)) // atomic, unlike a write
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    throw new StartError(`Another process has just started to use the data directory ${directory}.`, {
      cause,
    })
  } finally {
    rmSync(complete)
  }
  process.on('exit', () => rmSync(lockFile(directory), { force: true }))
}

/** @throws StartError if another process uses this Postgres home for longer than 20 s, or its owner is running. */
export async function waitUntilUnused(directory: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await setTimeout(50)) {
    const holder = findHolder(directory)
    if (!holder) return
    const ownerRuns = findCommandLine(holder.owner) !== undefined
    if (ownerRuns || Date.now() > deadline)
      throw new StartError(
        `The data directory ${directory} is in use by process ${ownerRuns ? holder.owner : holder.supervisor}. ` +
          'Stop that process first, or choose another directory.',
      )
  }
}

/** Returns the holder of the lock; removes the lock of a supervisor that was killed. */
function findHolder(directory: string): z.infer<typeof Holder> | undefined {
  let text: string
  try {
    text = readFileSync(lockFile(directory), 'utf8')
  } catch {
    return undefined
  }
  const holder = Holder.safeParse(parseJson(text)).data
  if (holder && findCommandLine(holder.supervisor)?.includes('supervise-postgres')) return holder
  rmSync(lockFile(directory), { force: true })
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
