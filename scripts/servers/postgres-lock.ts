import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { StartError } from '../cli/start-error.ts'
import { findCommandLine } from './find-command-line.ts'

const Holder = z.object({
  /** The supervisor's process id. */
  supervisor: z.number(),
  /** The process id of the one that the supervisor's Postgres serves. */
  owner: z.number(),
})

const lockFile = (directory: string) => join(directory, 'supervisor.json')

/**
 * Takes a Postgres home for this process, a supervisor; it holds it as long as it runs.
 *
 * A supervisor whose owner was just killed is still stopping its Postgres: that is waited for.
 *
 * @throws StartError when the home is in use.
 */
export async function lockPostgresHome(directory: string, owner: number): Promise<void> {
  await waitUntilUnused(directory)
  const whole = `${lockFile(directory)}.${process.pid}`
  writeFileSync(whole, JSON.stringify({ supervisor: process.pid, owner }))
  try {
    linkSync(whole, lockFile(directory)) // unlike a write, either nothing or the whole file
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    throw new StartError(`Another process just began to use the data directory ${directory}.`, { cause })
  } finally {
    rmSync(whole)
  }
  process.on('exit', () => rmSync(lockFile(directory), { force: true }))
}

/** @throws StartError when another process uses this Postgres home. */
export async function waitUntilUnused(directory: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await setTimeout(50)) {
    const holder = findHolder(directory)
    if (!holder) return
    const ownerRuns = findCommandLine(holder.owner) !== undefined
    if (ownerRuns || Date.now() > deadline)
      throw new StartError(
        `The data directory ${directory} is in use by process ${ownerRuns ? holder.owner : holder.supervisor}. ` +
          'Stop that one first, or choose another directory.',
      )
  }
}

/** Who holds the home, after removing what a supervisor left that was killed. */
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
