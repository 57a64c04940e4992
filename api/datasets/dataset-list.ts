import { z } from 'zod'
import type { Actor } from '../../db/audit/actor.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Trail } from '../audit/trail.ts'
import { endpoint } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import { DatasetItem } from './dataset-schemas.ts'
import { checkScoreRange, searchMembers } from './dataset-search-schemas.ts'
import { describeSearch } from './describe-search.ts'
import { ReferenceNumber } from './members.ts'
import { planQuery } from './plan-query.ts'
import { findSearchPage } from './search-page.ts'

const Query = z
  .object({
    ...searchMembers,
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .meta({ description: 'Maximum number of datasets per page' }),
  })
  .superRefine(checkScoreRange)

const DatasetList = z
  .object({
    items: z.array(DatasetItem).meta({ description: 'Datasets that match' }),
    next: z
      .string()
      .nullable()
      .meta({
        description: 'Cursor of the next page, to send with the same filters; null at the end',
        examples: [null],
      }),
    searchedThrough: z
      .object({
        referenceNumber: ReferenceNumber,
        uploadedAt: Timestamp.meta({ description: 'When the dataset was uploaded; UTC' }),
      })
      .nullable()
      .meta({ description: 'Last dataset searched; null if there was none' }),
  })
  .meta({ id: 'DatasetList' })

const DESCRIPTION =
  'Newest first. Filtered by a prefix of the reference number, without a device or client: ordered by reference number. With ' +
  'search, without a device or client: matches by reference number, then by client, then by device; each ordered by that ' +
  'identifier, newest first among equals. A request searches up to 10,000 datasets, so a page may have few items or none ' +
  'while next is not null; searchedThrough is the last dataset searched. Deleted datasets are listed without the deleted ' +
  'values.'

/** The search of datasets: as GET, and as POST, which keeps identifiers of clients out of the logs of proxies. */
export function datasetList(db: Db, trail: Trail) {
  async function find(subscriptionId: number, actor: Actor, { limit, ...query }: z.output<typeof Query>) {
    const { plan, after } = await planQuery(db, subscriptionId, query)
    trail.noteOnceAMinute({ subscriptionId, actor, action: 'dataset.search', detail: describeSearch(query) })
    const { records, cursor, hasMore } = await findSearchPage(db, plan, { after, limit })
    return {
      items: records,
      next: hasMore && cursor ? cursor.referenceNumber : null,
      searchedThrough: cursor
        ? { referenceNumber: cursor.referenceNumber, uploadedAt: cursor.uploadedAt }
        : null,
    }
  }
  const common = {
    tag: 'Datasets',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin', 'analyst'] },
    response: { status: 200, description: 'A page of matching datasets', schema: DatasetList },
    problems: [],
  } as const
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/api/datasets/v1',
      operationId: 'listDatasets',
      summary: 'Searches datasets',
      description: `${DESCRIPTION}\n\nProxies may log the query: searchDatasets takes the same filters in its body.`,
      query: Query,
      act: ({ caller, actor, query }) => find(caller.subscriptionId, actor, query),
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/datasets/v1/search',
      operationId: 'searchDatasets',
      idempotency: 'safe',
      summary: 'Searches datasets, with the filters in the body',
      description: DESCRIPTION,
      body: Query,
      act: ({ caller, actor, body }) => find(caller.subscriptionId, actor, body),
    }),
  ]
}
