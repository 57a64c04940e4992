/** Environment, streams and exit code of a command: those of its process, or of a caller in the same process. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  /** Exit code of a command that returns its result; 0 by default. */
  exitCode: number
  /** Returns a signal that Ctrl-C aborts. From this call on, the first Ctrl-C no longer ends the process; a second one does. */
  catchInterrupt(): AbortSignal
}

/** The environment and the streams of this process. */
export const processIo = (): CommandIo => ({
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exitCode: 0,
  catchInterrupt() {
    const interrupt = new AbortController()
    process.once('SIGINT', () => interrupt.abort())
    return interrupt.signal
  },
})
