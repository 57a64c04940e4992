/** Work that runs repeatedly until it is stopped. */
export interface Repetition {
  /** Resolves when the last run has ended. */
  stop(): Promise<void>
}

/** Starts at once and pauses between runs. `onError` receives the error of a failed run; `signal` asks a run to end early. */
export function repeat(
  pauseMs: number,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Repetition {
  const stopping = new AbortController()
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await work(stopping.signal).catch(onError)
      await pause(pauseMs, stopping.signal)
    }
  })()
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
