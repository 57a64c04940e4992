/**
 * The classes of the hosted service's web SDK, as far as its public reference describes them, for pages that were written for
 * it: its reference has no other members, and does not describe what its exception holds.
 *
 * @see https://docs.credolab.com/docs/web-sdk-reference
 */
import type { Inkling } from './api.ts'
import { start } from './index.ts'

class Service {
  readonly #endpoint: string
  readonly #key: string
  protected inkling: Inkling | undefined

  /**
   * @param url address of the service
   * @param authKey site key of level `open`
   */
  constructor(url: string, authKey: string) {
    this.#endpoint = `${url.replace(/\/$/, '')}/c`
    this.#key = authKey
  }

  protected begin(referenceNumber?: string): void {
    this.inkling = start({
      ...{ key: this.#key, endpoint: this.#endpoint, consent: 'granted' },
      ...(referenceNumber === undefined ? { hold: true } : { referenceNumber }),
    })
  }

  /** Ends the recording; `startTracking` goes on with the same collection. */
  stopTracking(): void {
    this.inkling?.stop()
  }

  protected async end(referenceNumber?: string): Promise<void> {
    try {
      if (!this.inkling) throw new Error('Nothing was tracked')
      await this.inkling.complete(referenceNumber)
    } catch (error) {
      const { message } = error as Error
      throw new CredoAppException(message, { cause: error })
    }
  }
}

/** What the promises reject with; `message` is the title of the problem, such as `reference_number_taken`. */
export class CredoAppException extends Error {
  override readonly name = 'CredoAppException'
}

/** A session in one browser. It is kept there, and sent when it is complete: only then is its number known. */
export class CredoAppService extends Service {
  startTracking(): void {
    this.begin()
  }

  /** Resolves once the service has stored everything. */
  stopTrackingAndCompleteAsync(referenceNumber: string): Promise<void> {
    return this.end(referenceNumber)
  }
}

/** A session whose number is known at its start, so that it is sent while it lasts. */
export class CredoAppServiceAsync extends Service {
  async startTrackingAsync(referenceNumber: string): Promise<void> {
    this.begin(referenceNumber)
  }

  /** Resolves once the service has stored everything. */
  stopTrackingAndCompleteAsync(): Promise<void> {
    return this.end()
  }
}
