import type { Answer, Query } from './api-types.ts'
import { ProblemError } from './errors.ts'
import type { CallOptions, Transport } from './transport.ts'

type Page = Answer<'listDatasets'>

/** A dataset of a list. */
export type DatasetItem = Page['items'][number]

/** A dataset with its status, device, client and Additional Info. */
export type Dataset = Answer<'showDataset'>

/** Filters of a list. `limit` is the number of datasets per request, 100 by default. */
export type DatasetFilters = Omit<Query<'listDatasets'>, 'cursor'>

/** Stored datasets of the subscription. */
export interface Datasets {
  /** Iterates over the datasets that match, newest first. */
  list(filters?: DatasetFilters, options?: CallOptions): AsyncIterable<DatasetItem>
  /** Returns a dataset, without waiting for its insight. @throws ProblemError `dataset_not_found`. */
  get(referenceNumber: string, options?: CallOptions): Promise<Dataset>
  /** Deletes a dataset permanently; also resolves if it was deleted before. @throws ProblemError `dataset_not_found`. */
  delete(referenceNumber: string, options?: CallOptions): Promise<void>
}

const pathOf = (referenceNumber: string) => `/api/datasets/v1/${encodeURIComponent(referenceNumber)}`

export function openDatasets(call: Transport): Datasets {
  return {
    async *list(filters = {}, options = {}) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: 100, ...filters, cursor }
        const page: Page = await call({ ...options, path: '/api/datasets/v1', query })
        yield* page.items
        cursor = page.next
      }
    },
    get: (referenceNumber, options = {}) => call({ ...options, path: pathOf(referenceNumber) }),
    async delete(referenceNumber, options = {}) {
      try {
        await call({ ...options, method: 'DELETE', path: pathOf(referenceNumber) })
      } catch (error) {
        // the response to an earlier attempt may be lost
        if (!(error instanceof ProblemError && error.title === 'dataset_deleted')) throw error
      }
    },
  }
}
