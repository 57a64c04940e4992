import type { components, operations } from '../../client/openapi.d.ts'

/** A dataset as an item of the list. */
export type DatasetItem = components['schemas']['DatasetItem']

/** A page of a search. */
export type DatasetList = components['schemas']['DatasetList']

type Query = NonNullable<operations['listDatasets']['parameters']['query']>

/** Filters of a dataset search, named as in the API. */
export type DatasetFilters = Readonly<Partial<Record<Exclude<keyof Query, 'cursor' | 'limit'>, string>>>

/** The filters as a query of the API's client, whose types require numbers where the API also parses strings. */
export const queryOf = (filters: DatasetFilters) => filters as unknown as Omit<Query, 'cursor' | 'limit'>
