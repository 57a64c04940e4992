import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import { endpoint } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import { DatasetItem } from './dataset-schemas.ts'
import { checkScoreRange, searchMembers } from './dataset-search-schemas.ts'
import { ReferenceNumber } from './members.ts'
import { planSearch } from './plan-search.ts'
import { findSearchPage } from './search-page.ts'

const Query = z
  .object({
    ...searchMembers,
    limit: z.coerce.number().int().min(1).max(100).default(50).meta({ description: 'Datasets of a page' }),
  })
  .superRefine(checkScoreRange)

const DatasetList = z
  .object({
    items: z.array(DatasetItem).meta({ description: 'The datasets found' }),
    next: z
      .string()
      .nullable()
      .meta({
        description: 'Send it as cursor, with the same filters, to go on; null at the end',
        examples: [null],
      }),
    searchedThrough: z
      .object({
        referenceNumber: ReferenceNumber,
        uploadedAt: Timestamp.meta({ description: 'When it was uploaded; UTC' }),
      })
      .nullable()
      .meta({ description: 'The last dataset that was looked at; null where there was none' }),
  })
  .meta({ id: 'DatasetList' })

export const datasetList = (db: Db) =>
  endpoint({
    method: 'get',
    path: '/api/datasets/v1',
    operationId: 'listDatasets',
    tag: 'Datasets',
    summary: 'Search datasets',
    description:
      'Newest first; those found by how their reference number begins, without a device or client, in the order of their ' +
      'reference numbers. With search, without a device or client, first those whose reference number begins so, then those ' +
      'whose client does, then those whose device does; each in the order of these identifiers, the newest first among equals. ' +
      'A request looks at 10,000 datasets at most, so a page may have few items or none while next says that ' +
      'there is more to search; searchedThrough says how far it came. Deleted ones are listed too, without what was deleted.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: Query,
    response: { status: 200, description: 'A page of the datasets found', schema: DatasetList },
    problems: [],
    async act({ caller: { subscriptionId }, query: { limit, ...query } }) {
      const { walk, after } = await planSearch(db, subscriptionId, query)
      const { records, cursor, hasMore } = await findSearchPage(db, walk, { after, limit })
      return {
        items: records,
        next: hasMore && cursor ? cursor.referenceNumber : null,
        searchedThrough: cursor
          ? { referenceNumber: cursor.referenceNumber, uploadedAt: cursor.uploadedAt }
          : null,
      }
    },
  })
