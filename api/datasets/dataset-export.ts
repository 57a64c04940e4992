import { Readable } from 'node:stream'
import { z } from 'zod'
import { type Cursor, findOldestUpload, type SearchPlan, scanNext } from '../../db/datasets/search-plan.ts'
import type { Db } from '../../db/postgres/database.ts'
import { listScoreCodes } from '../../db/scorecards/score-codes.ts'
import { endpoint, Stream } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import type { FindTexts } from '../insights/explanation-texts.ts'
import { writeHeader, writeRecords, writeRemark } from './dataset-csv.ts'
import { DatasetSearchQuery } from './dataset-search-schemas.ts'
import { type DescribeRecords, openDescriptions } from './describe-records.ts'
import { openExportSlots } from './export-slots.ts'
import { planSearch } from './plan-search.ts'

/** Lines of one file at most, beside the first. */
const MAX_RECORDS = 100_000

/** Datasets looked at by one statement; between two of them the client has taken what the one before found. */
const STEP_ROWS = 1_000

/** An export that takes longer is broken off: its client has stopped reading, or the disk is in trouble. */
const MAX_MS = 15 * 60_000

const EXAMPLE =
  'referenceNumber,status,platform,uploadedAt,settledAt,deviceId,clientId,invalidCode,invalidDetail,app_score,' +
  'app_score probability,app_score reason codes,app_score reasons,additionalInfo\r\n' +
  'LN-2026-000123,ready,android,2026-11-20T08:15:30.123456Z,2026-11-20T08:15:30.204118Z,5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11,' +
  'C-1042,,,612,0.0731,D03,Device used by several clients,"{""clientId"":""C-1042""}"\r\n'

export function datasetExport(db: Db, findTexts: FindTexts) {
  const slots = openExportSlots()
  return endpoint({
    method: 'get',
    path: '/api/exports/v1/datasets',
    operationId: 'exportDatasets',
    tag: 'Datasets',
    summary: 'Export the datasets of a search as CSV',
    description:
      'Takes the filters of the list and answers in its order, as it goes, in UTF-8 by RFC 4180. Times are in UTC, as in ' +
      '2026-11-20T08:15:30.123456Z. For each score code there are columns for the score and its probability, and, after ' +
      'those of all codes, for the codes and the texts of its reasons, separated by "; ", the most important first. The last ' +
      `column, additionalInfo, is a JSON object, empty where nothing was saved. A file has ${MAX_RECORDS.toLocaleString('en')} datasets at most: where more match, its last line says ` +
      'so in its first cell, and with which cursor the next file goes on. A text that begins with = + - @, a tab or a carriage ' +
      'return gets an apostrophe before it, or a spreadsheet would calculate it. Inkling-Oldest-Upload is, where the newest come ' +
      'first, how far back the search goes: from the times of the lines a client sees how much there is to come. Two exports of a ' +
      'subscription can run at once.',
    credential: { kind: 'login', roles: ['admin', 'analyst'] },
    query: DatasetSearchQuery,
    response: {
      status: 200,
      description: 'The datasets',
      type: 'text/csv',
      schema: z.string(),
      example: EXAMPLE,
      headers: {
        'Content-Disposition': z.string().meta({
          description: 'A name for the file',
          examples: ['attachment; filename="datasets-2026-11-20.csv"'],
        }),
        'Inkling-Oldest-Upload': Timestamp.meta({
          description:
            'Where the newest come first: upload of the oldest dataset that the search can reach; UTC',
        }),
      },
    },
    problems: ['rate_limited'],
    async act({ caller: { subscriptionId }, query }) {
      const leave = slots.take(subscriptionId)
      try {
        const { walk, after } = await planSearch(db, subscriptionId, query)
        const [codes, oldest] = await Promise.all([
          listScoreCodes(db, subscriptionId),
          findOldestUpload(db, walk),
        ])
        const describe = openDescriptions(db, findTexts, subscriptionId)
        const body = Readable.from(writeFile(db, walk, { after, codes, describe }), { objectMode: false })
        const timer = setTimeout(() => body.destroy(new Error('The export took too long')), MAX_MS).unref()
        body.once('close', () => {
          clearTimeout(timer)
          leave()
        })
        return new Stream(body, {
          'Content-Disposition': `attachment; filename="datasets-${new Date().toISOString().slice(0, 10)}.csv"`,
          ...(oldest !== undefined && { 'Inkling-Oldest-Upload': oldest }),
        })
      } catch (error) {
        leave()
        throw error
      }
    },
  })
}

/** Holds no transaction and one step's records; whoever stops reading stops the search. */
async function* writeFile(
  db: Db,
  walk: SearchPlan,
  {
    after,
    codes,
    describe,
  }: { after: Cursor | undefined; codes: readonly string[]; describe: DescribeRecords },
): AsyncGenerator<string> {
  yield writeHeader(codes)
  let left = MAX_RECORDS
  for (let place = after; ; ) {
    const step = await scanNext(db, walk, { after: place, rows: STEP_ROWS, limit: Math.min(left, STEP_ROWS) })
    left -= step.records.length
    place = step.cursor ?? place
    if (step.records.length > 0) yield writeRecords(await describe(step.records), codes)
    if (!step.hasMore) return
    if (left === 0 && place)
      return yield writeRemark(`More match: go on with cursor ${place.referenceNumber}`, codes)
  }
}
