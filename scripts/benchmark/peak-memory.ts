import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The environment variable that identifies the processes of a system, including their child processes. */
export const MARK = 'INKLING_BENCH_PROCESS'

/** Lists the process ids of a role, for example `inkling-web`; empty without /proc. */
function listProcesses(mark: string): string[] {
  try {
    return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isMarked(pid, mark))
  } catch {
    return []
  }
}

function isMarked(pid: string, mark: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK}=${mark}`)) return false
    return !readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('supervise-command')
  } catch {
    return false // ended in the meantime
  }
}

/** Resets the peaks, where the system supports it. */
export function resetPeakMemory(mark: string): void {
  for (const pid of listProcesses(mark))
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
    } catch {}
}

/** Returns the sum of the peak resident memory of a role's processes, in MB; undefined if not available. */
export function readPeakMemory(mark: string): number | undefined {
  const peaks = listProcesses(mark).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1_024
  })
  return peaks.length > 0 ? peaks.reduce((sum, peak) => sum + peak) : undefined
}

/** Returns the processor time of a role in milliseconds. A tick is 10 ms on every Linux that Node supports. */
export function readCpuMs(mark: string): number {
  return listProcesses(mark)
    .map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const [user = '0', system = '0'] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
      return (Number(user) + Number(system)) * 10
    })
    .reduce((sum, ms) => sum + ms, 0)
}
