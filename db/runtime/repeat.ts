/** Does something again and again, with a pause between two times, until it is stopped. */
export interface Repetition {
  /** Resolves when the last time is over. */
  stop(): Promise<void>
}

/** Starts at once. A time that fails is told to `onError` and tried again after the pause; its signal asks it to end early. */
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
