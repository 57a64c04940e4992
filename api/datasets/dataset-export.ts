import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Actor } from '../../db/audit/actor.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { type Cursor, findOldestUpload, type SearchPlan, scanNext } from '../../db/datasets/search-plan.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { listScoreCodes } from '../../db/scorecards/score-codes.ts'
import { endpoint, Stream } from '../http/endpoint.ts'
import { Timestamp } from '../http/timestamp.ts'
import type { FindTexts } from '../insights/explanation-texts.ts'
import { DatasetSearchQuery } from './dataset-search-schemas.ts'
import { type DescribeRecords, openDescriptions } from './describe-records.ts'
import { describeSearch } from './describe-search.ts'
import { openExportSlots } from './export-slots.ts'
import { planQuery } from './plan-query.ts'

/** Maximum number of datasets per file. */
const MAX_RECORDS = 100_000

/** Datasets scanned per statement; the next statement starts once the client has received the previous rows. */
const SCAN_ROWS = 1_000

/** Timeout of an export: its client stopped reading, or the database is too slow. */
const TIMEOUT_MS = 15 * 60_000

const EXAMPLE =
  '"referenceNumber","status","platform","uploadedAt","settledAt","deviceId","clientId","invalidCode","invalidDetail",' +
  '"app_score","app_score probability","app_score reason codes","app_score reasons","additionalInfo"\r\n' +
  '"LN-2026-000123","ready","android","2026-11-20T08:15:30.123456Z","2026-11-20T08:15:30.204118Z",' +
  '"5b1f6f0e-8f3c-4c1e-9f0d-2f6f1b0c7a11","C-1042","","","612","0.0731","D03","Device used by several clients",' +
  '"{""clientId"":""C-1042""}"\r\n'

const DESCRIPTION =
  'Streams the datasets with the filters and in the order of the list, as CSV by RFC 4180 in UTF-8, with every cell quoted. ' +
  'Times are in UTC, such as 2026-11-20T08:15:30.123456Z. Each score code has columns for the score and its probability and, ' +
  'after those of all codes, for the codes and texts of its reasons, separated by "; ", most important first. The last ' +
  'column, additionalInfo, is a JSON object, or empty without Additional Info. ' +
  `A file has up to ${MAX_RECORDS.toLocaleString('en')} datasets. If more match, a last row follows whose first cell is ` +
  '#next?cursor=…, percent-encoded, and whose other cells are empty: send this cursor to get the next file. To keep spreadsheets ' +
  'from evaluating formulas, an apostrophe precedes = + - @ at the start of a text or after a separator in it, and a tab or ' +
  'carriage return at the start; in additionalInfo these characters are \\u escapes. With the newest datasets first, ' +
  'Inkling-Oldest-Upload is the time of the last row to expect, so that clients can show progress. A subscription can run two ' +
  'exports at once. Recorded in the audit log.'

/** The export of a search: as GET, and as POST, which keeps identifiers of clients out of the logs of proxies. */
export function datasetExport({ db, vault }: { db: Db; vault: Vault }, findTexts: FindTexts) {
  const slots = openExportSlots()

  async function start(subscriptionId: number, actor: Actor, query: DatasetSearchQuery): Promise<Stream> {
    const release = slots.take(subscriptionId)
    try {
      const { plan, after } = await planQuery(db, subscriptionId, query)
      const [codes, oldest] = await Promise.all([
        listScoreCodes(db, subscriptionId),
        findOldestUpload(db, plan),
      ])
      await recordAudit(db, {
        subscriptionId,
        actor,
        action: 'dataset.export',
        detail: describeSearch(query),
      })
      const describe = openDescriptions({ db, vault }, findTexts, subscriptionId)
      const body = Readable.from(writeFile(db, plan, { after, codes, describe }), { objectMode: false })
      const timer = setTimeout(() => body.destroy(new Error('The export timed out')), TIMEOUT_MS).unref()
      body.once('close', () => {
        clearTimeout(timer)
        release()
      })
      return new Stream(body, {
        'Content-Disposition': `attachment; filename="datasets-${new Date().toISOString().slice(0, 10)}.csv"`,
        ...(oldest !== undefined && { 'Inkling-Oldest-Upload': oldest }),
      })
    } catch (error) {
      release()
      throw error
    }
  }
  const common = {
    path: '/api/exports/v1/datasets',
    tag: 'Datasets',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin', 'analyst'] },
    stepUp: 'with_factor',
    response: {
      status: 200,
      description: 'The datasets',
      type: 'text/csv',
      schema: z.string(),
      example: EXAMPLE,
      headers: {
        'Content-Disposition': z.string().meta({
          description: 'File name',
          examples: ['attachment; filename="datasets-2026-11-20.csv"'],
        }),
        'Inkling-Oldest-Upload': Timestamp.meta({
          description: 'Upload time of the oldest dataset in reach of the search, with the newest first; UTC',
        }),
      },
    },
    problems: ['rate_limited'],
  } as const
  return [
    endpoint({
      ...common,
      method: 'get',
      operationId: 'exportDatasets',
      summary: 'Exports the datasets of a search as CSV',
      description: `${DESCRIPTION}\n\nProxies may log the query: exportSearch takes the same filters in its body.`,
      query: DatasetSearchQuery,
      act: ({ caller, actor, query }) => start(caller.subscriptionId, actor, query),
    }),
    endpoint({
      ...common,
      method: 'post',
      operationId: 'exportSearch',
      idempotency: 'safe',
      summary: 'Exports the datasets of a search as CSV, with the filters in the body',
      description: DESCRIPTION,
      body: DatasetSearchQuery,
      act: ({ caller, actor, body }) => start(caller.subscriptionId, actor, body),
    }),
  ]
}

/** Streams rows without a transaction; holds the records of one statement. The search stops when the client stops reading. */
async function* writeFile(
  db: Db,
  plan: SearchPlan,
  {
    after,
    codes,
    describe,
  }: { after: Cursor | undefined; codes: readonly string[]; describe: DescribeRecords },
): AsyncGenerator<string> {
  // on demand, with its package: most processes never write a file
  const { writeHeader, writeNext, writeRecords } = await import('./dataset-csv.ts')
  yield writeHeader(codes)
  let remaining = MAX_RECORDS
  for (let cursor = after; ; ) {
    const step = await scanNext(db, plan, {
      after: cursor,
      rows: SCAN_ROWS,
      limit: Math.min(remaining, SCAN_ROWS),
    })
    remaining -= step.records.length
    cursor = step.cursor ?? cursor
    if (step.records.length > 0) yield writeRecords(await describe(step.records), codes)
    if (!step.hasMore) return
    if (remaining === 0 && cursor) return yield writeNext(cursor.referenceNumber, codes)
  }
}
