import type { components, operations } from '../../client/openapi.d.ts'

/** A dataset as the list tells of it. */
export type DatasetItem = components['schemas']['DatasetItem']

/** A page of a search. */
export type DatasetList = components['schemas']['DatasetList']

type Query = NonNullable<operations['listDatasets']['parameters']['query']>

/** What datasets are searched by, as the API names it. */
export type DatasetFilters = Readonly<Partial<Record<Exclude<keyof Query, 'cursor' | 'limit'>, string>>>

/** The same as the API's client takes it: the API reads numbers from texts, its types cannot say so. */
export const queryOf = (filters: DatasetFilters) => filters as unknown as Omit<Query, 'cursor' | 'limit'>
