import type { Inkling, StartOptions } from './api.ts'
import { type Collector, collect } from './collect.ts'
import { refusal } from './request.ts'
import type { Graphics } from './wire.ts'

/** Makes `start` with a way to load the module for graphics. */
export const createStart =
  (loadGraphics: () => Promise<() => Promise<Graphics>>) =>
  /**
   * Starts to record how the page is handled, and to send it. On a server it does nothing.
   *
   * @throws if `ignore` is not a selector.
   */
  (options: StartOptions): Inkling => {
    let collector: Collector | undefined

    const grant: Inkling['grant'] = (consent) => {
      if (typeof document === 'undefined') return
      collector ??= collect(
        options,
        { basis: 'consent', at: new Date().toISOString(), ...consent },
        loadGraphics,
      )
    }
    if (options.consent === 'granted') grant()

    return {
      grant,
      withdraw() {
        collector?.withdraw()
        collector = undefined
      },
      page: (path) => collector?.page(path),
      get id() {
        return collector?.id
      },
      stop: () => collector?.stop(),
      complete: async () => {
        if (!collector) throw refusal('not_collecting')
        return collector.complete()
      },
    }
  }
