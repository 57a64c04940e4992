import type { Consent, HostFacts, Segment } from './wire.ts'

export interface StartOptions {
  /** Site key, `pk_…`. */
  key: string
  /** Address of the collection endpoint, such as `https://inkling.lender.example/c`, or `/c` where it is proxied. */
  endpoint: string
  /** Token of the backend for level `verified`. */
  token?: string
  /** Own reference number for level `open`. */
  referenceNumber?: string
  /** Keeps all in the browser until `complete(referenceNumber)`, for pages that learn the number at the end. */
  hold?: boolean
  /** `pending`: no listener, no read, no storage and no request before `grant()`. */
  consent: 'granted' | 'pending'
  /** Optional modules, loaded when needed: `graphics`. */
  modules?: readonly 'graphics'[]
  /** Selector of elements that do not exist for the SDK, besides `[data-inkling-ignore]`. */
  ignore?: string
  /** Overrides what the browser says of the device. */
  device?: HostFacts
  /** Returns the segment to send, changed or not, or null to discard its content. Called synchronously. */
  beforeSend?: (segment: Segment) => Segment | null
}

/** What the server answers once all of a collection is stored. */
export interface Receipt {
  id: string
  /** Null until the backend claims the collection. */
  referenceNumber: string | null
  uploadDate: string | null
}

/** A running SDK. */
export interface Inkling {
  /** Begins, if consent was pending. */
  grant(consent?: Consent): void
  /** Stops, erases what is stored in the browser, and on the server what is not a dataset yet. */
  withdraw(): void
  /** Notes that another page of a single-page application is shown: by default the path of the address. */
  page(path?: string): void
  /** Id of the collection for the backend to claim; undefined until the server has answered. */
  readonly id: string | undefined
  /** Ends the listening; what was recorded is still sent. */
  stop(): void
  /**
   * Ends the collection. Resolves only after the server has stored all of it; retries until then.
   *
   * @param referenceNumber for level `open`, if `start` was not given one: with `hold`
   * @throws Error with a `code` if the server refuses it or nothing is being collected.
   */
  complete(referenceNumber?: string): Promise<Receipt>
}
