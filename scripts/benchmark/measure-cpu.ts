import { readCpuMs } from './peak-memory.ts'
import { readPostgresCpuMs } from './postgres-cpu.ts'
import type { Samples } from './samples.ts'

/**
 * Starts to measure the processor time of Postgres and of the processes with a mark, such as `inkling-web`.
 *
 * @returns a function that adds both, in microseconds per piece, as `NAME: webUs` and `NAME: postgresUs`; the role is the end of the mark.
 */
export function startCpu(
  { samples, postmaster }: { samples: Samples; postmaster: number },
  mark: string,
): (name: string, pieces: number) => void {
  const read = () => [readCpuMs(mark), readPostgresCpuMs(postmaster)] as const
  const [own, postgres] = read()
  return (name, pieces) => {
    const [ownAfter, postgresAfter] = read()
    const role = mark.slice(mark.lastIndexOf('-') + 1)
    samples.add(`${name}: ${role}Us`, ((ownAfter - own) / pieces) * 1_000)
    samples.add(`${name}: postgresUs`, ((postgresAfter - postgres) / pieces) * 1_000)
  }
}
