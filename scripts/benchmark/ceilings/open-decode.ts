import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { FromDecode, ToDecode } from './decode-process.ts'

/** Decodes captures in a separate process. */
export interface DecodeCeiling {
  /** @returns total captures per second in this number of threads. */
  run(threads: number, count: number): Promise<number>
  close(): void
}

/** Opens it with a file of upload bodies, and warms up both threads. */
export async function openDecodeCeiling(
  file: string,
  { threads, signal }: { threads: number; signal: AbortSignal },
): Promise<DecodeCeiling> {
  const child = fork(new URL('decode-process.ts', import.meta.url), { execArgv: [], stdio: 'inherit' })
  const run = async (threads: number, count: number) => {
    child.send({ file, threads, count } satisfies ToDecode)
    const [{ ms }]: [FromDecode] = await Promise.race([
      once(child, 'message', { signal }) as Promise<[FromDecode]>,
      once(child, 'exit').then(() => Promise.reject(new Error('The process that decodes ended'))),
    ])
    return (count / ms) * 1_000
  }
  await run(threads, 200 * threads)
  return { run, close: () => void child.kill('SIGKILL') } // it has no state
}
