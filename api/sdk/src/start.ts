import type { Inkling, StartOptions } from './api.ts'
import { type Collector, collect, type LoadModule } from './collect.ts'
import { refusal } from './request.ts'

/** Makes `start` with a way to load the modules that the start does not wait for. */
export const createStart =
  (load: LoadModule) =>
  (options: StartOptions): Inkling => {
    let collector: Collector | undefined

    const grant: Inkling['grant'] = (consent) => {
      if (globalThis.document) collector ??= collect(options, consent, load)
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
      complete: (referenceNumber) =>
        collector?.complete(referenceNumber) ?? Promise.reject(refusal('not_collecting')),
    }
  }
