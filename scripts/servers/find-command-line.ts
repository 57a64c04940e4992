import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * The command line of a running process, or undefined if there is none: a process id alone says little, since the
 * system gives it to another process one day.
 */
export function findCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined // none: a zombie
  } catch {
    if (process.platform === 'linux') return undefined
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
