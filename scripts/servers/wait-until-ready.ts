import { setTimeout } from 'node:timers/promises'
import { StartError } from '../cli/start-error.ts'

/** Resolves when the API reports that it and its dependencies are ready. */
export async function waitUntilReady(baseUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await fetch(new URL('/readyz', baseUrl), { signal }).catch(() => undefined)
    signal.throwIfAborted()
    if (response?.ok) return
    if (Date.now() > deadline)
      throw new StartError(`The API was not ready after 30 s: ${(await response?.text()) ?? 'no response'}`)
    await setTimeout(50, undefined, { signal })
  }
}
