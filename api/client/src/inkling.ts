import type { Answer, Schemas } from './api-types.ts'
import { type Datasets, openDatasets } from './datasets.ts'
import { encodeCapture, encodeData } from './encode-capture.ts'
import { type Feed, type FeedOptions, openFeed } from './feed.ts'
import { type CallOptions, openTransport, type Transport, type TransportOptions } from './transport.ts'
import { openWebhooks, type Webhooks } from './webhooks.ts'

/** Options of the client. */
export type InklingOptions = TransportOptions

/** A dataset to upload. */
export type Upload = {
  /** 1 to 100 characters, unique within the subscription. */
  readonly referenceNumber: string
  /** IP address of the end user. */
  readonly realIp?: string | undefined
  /** Up to 100 texts by key, such as `clientId`; a saved key cannot be changed. */
  readonly additionalInfo?: Readonly<Record<string, string>> | undefined
} & (
  | { readonly capture: object; readonly data?: undefined }
  /** A gzipped capture: base64, as the SDKs return it, or its bytes. */
  | { readonly data: string | Uint8Array | Blob; readonly capture?: undefined }
)

export type Receipt = Answer<'uploadDataset'>
export type SavedInfo = Answer<'assignAdditionalInfo'>

/** Scores and fragments of a dataset. */
export type Insight = Answer<'requestInsights'>

/** Result of one reference number of a batch: `status` 200 and `insight`, or another status and `problem`. */
export type InsightResult = Answer<'requestInsightBatch'>['results'][number]

export interface InsightOptions extends CallOptions {
  /** Codes of scorecards and fragments; all by default. */
  readonly codes?: readonly string[] | undefined
}

/** Largest number of datasets of a batch. */
const MAX_BATCH = 100

/**
 * The service, called with one API key.
 *
 * Calls that fail for a passing reason (no connection, 408, 429, 5xx) are repeated after random, growing pauses, or those of
 * `Retry-After`: every call has the same effect however often it arrives, except some of `webhooks`. Connections are kept open.
 *
 * @throws ProblemError of each method: the service's last error response.
 * @throws ConnectionError of each method: no response in time.
 */
export class Inkling {
  /** Stored datasets: list, get, delete. Needs the scopes `datasets:read` and `datasets:delete`. */
  readonly datasets: Datasets
  /** Webhooks: create, list, change, test, replay, delete. Needs the scope `webhooks:manage`. */
  readonly webhooks: Webhooks
  readonly #call: Transport

  /** @throws TypeError if the address or the key cannot be used. */
  constructor(options: InklingOptions) {
    this.#call = openTransport(options)
    this.datasets = openDatasets(this.#call)
    this.webhooks = openWebhooks(this.#call)
  }

  /** Uploads a dataset; it is durable once this resolves. Safe to call again with the same data. */
  async upload({ capture, data, ...upload }: Upload, options: CallOptions = {}): Promise<Receipt> {
    const encoded = capture === undefined ? await encodeData(data) : await encodeCapture(capture)
    const body = { ...upload, data: encoded }
    return this.#call({ ...options, method: 'POST', path: '/api/datasets/v1/upload', body })
  }

  /** Saves Additional Info of a dataset and returns all that is saved. A saved key cannot be changed. */
  addInfo(
    referenceNumber: string,
    additionalInfo: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<SavedInfo> {
    const body = { referenceNumber, additionalInfo }
    return this.#call({ ...options, method: 'POST', path: '/api/datasets/v1/additionalinfo', body })
  }

  /** Returns the insight of a dataset. The service processes it first, for up to 10 s. @throws ProblemError `insight_not_ready`. */
  insight(referenceNumber: string, { codes, ...options }: InsightOptions = {}): Promise<Insight> {
    return this.#call({ ...options, path: insightPath(referenceNumber), query: { codes } })
  }

  /** Returns the insight of a dataset as soon as it is ready. @param options timeoutMs is 60,000 by default */
  waitForInsight(
    referenceNumber: string,
    { codes, timeoutMs = 60_000, ...options }: InsightOptions = {},
  ): Promise<Insight> {
    const retries = { untilReady: true, maxRetries: Number.POSITIVE_INFINITY, timeoutMs }
    return this.#call({ ...options, ...retries, path: insightPath(referenceNumber), query: { codes } })
  }

  /** Returns a result for each reference number, in their order; 100 per request. */
  async insights(
    referenceNumbers: readonly string[],
    { codes, ...options }: InsightOptions = {},
  ): Promise<InsightResult[]> {
    const results: InsightResult[] = []
    for (let at = 0; at < referenceNumbers.length; at += MAX_BATCH) {
      const body = { referenceNumbers: referenceNumbers.slice(at, at + MAX_BATCH), codes }
      const batch = { ...options, method: 'POST', path: '/api/insights/v1/batch', body } as const
      results.push(...(await this.#call<Answer<'requestInsightBatch'>>(batch)).results)
    }
    return results
  }

  /** Returns a token with which a page opens a collection of this reference number. */
  createCollectionToken(
    token: Schemas['CollectionTokenRequest'],
    options: CallOptions = {},
  ): Promise<Answer<'createCollectionToken'>> {
    return this.#call({ ...options, method: 'POST', path: '/api/collections/v1/tokens', body: token })
  }

  /** Makes a browser's collection the dataset of this reference number. */
  claimCollection(
    claim: Schemas['ClaimRequest'],
    options: CallOptions = {},
  ): Promise<Answer<'claimCollection'>> {
    return this.#call({ ...options, method: 'POST', path: '/api/collections/v1/claims', body: claim })
  }

  /** Returns the events of the subscription, to iterate with `for await`. Needs the scope `events:read`. */
  events(options: FeedOptions = {}): Feed {
    return openFeed(this.#call, options)
  }
}

const insightPath = (referenceNumber: string) => `/api/insights/v1/${encodeURIComponent(referenceNumber)}`
