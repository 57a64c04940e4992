import { stringify } from 'csv-stringify/sync'
import type { DatasetRecord } from '../../db/datasets/dataset-records.ts'
import type { DescribedRecord } from './describe-records.ts'

/** Columns before those of the scores. */
const COLUMNS: readonly [name: string, value: (record: DatasetRecord) => string | null | undefined][] = [
  ['referenceNumber', (record) => record.referenceNumber],
  ['status', (record) => record.status],
  ['platform', (record) => record.platform],
  ['uploadedAt', ({ uploadedAt }) => withZone(uploadedAt)],
  ['settledAt', ({ settledAt }) => withZone(settledAt)],
  ['deviceId', (record) => record.deviceId],
  ['clientId', (record) => record.clientId],
  ['invalidCode', (record) => record.invalid?.code],
  ['invalidDetail', (record) => record.invalid?.detail],
]

/** Adds the time zone; without one, spreadsheets and programs assume local time. */
const withZone = (at: string | null): string | null => (at === null ? null : `${at}Z`)

/** Separates the reasons in a cell. */
const SEPARATOR = '; '

/** Column names; later versions append columns. */
const columnNames = (codes: readonly string[]): string[] => [
  ...COLUMNS.map(([name]) => name),
  ...codes.flatMap((code) => [code, `${code} probability`]),
  ...codes.flatMap((code) => [`${code} reason codes`, `${code} reasons`]),
  'additionalInfo',
]

/** Writes the header row, with four columns per score code. */
export const writeHeader = (codes: readonly string[]): string =>
  writeRows([columnNames(codes).map(neutraliseFormulas)])

/** Writes a row per record; cells of missing scores are empty. */
export const writeRecords = (records: readonly DescribedRecord[], codes: readonly string[]): string =>
  writeRows(records.map((record) => cellsOf(record, codes)))

/**
 * Writes the last row of a file that does not have all datasets: `#next?cursor=…` in the first cell, all other cells empty,
 * which no record has. The cursor is a query parameter, percent-encoded, so that it has no formula characters.
 */
export const writeNext = (cursor: string, codes: readonly string[]): string =>
  writeRows([[`#next?${new URLSearchParams({ cursor })}`, ...columnNames(codes).slice(1).fill('')]])

function cellsOf(record: DescribedRecord, codes: readonly string[]): string[] {
  const scores = codes.flatMap((code) => {
    const score = record.scores.find((one) => one.code === code)
    return [String(score?.value ?? ''), String(score?.probability ?? '')]
  })
  const reasons = codes.flatMap((code) => {
    const ofScore = record.reasons.get(code) ?? []
    return [ofScore.map((reason) => reason.code), ofScore.map((reason) => reason.text ?? reason.code)]
  })
  const { additionalInfo } = record
  return [
    ...COLUMNS.map(([, value]) => neutraliseFormulas(value(record) ?? '')),
    ...scores,
    ...reasons.map((texts) => neutraliseFormulas(texts.join(SEPARATOR))),
    Object.keys(additionalInfo).length === 0 ? '' : neutraliseJson(JSON.stringify(additionalInfo)),
  ]
}

/** Quotes every cell; rows end as in RFC 4180. */
const writeRows = (rows: readonly (readonly string[])[]): string =>
  stringify(rows as string[][], { quoted: true, quoted_empty: true, record_delimiter: '\r\n' })

/**
 * Start of a formula: at the start of a cell, or after a character that a spreadsheet may be set to take for a separator.
 *
 * @see OWASP, CSV Injection, also for the full-width characters
 */
const FORMULA = /(?:^|[,;|\t\r\n])[ "]*(?=[=+\-@＝＋－＠])/g

/** Inserts an apostrophe before each text that a spreadsheet would evaluate, and before a tab or carriage return at the start. */
const neutraliseFormulas = (text: string): string => text.replace(FORMULA, "$&'").replace(/^(?=[\t\r])/, "'")

const JSON_FORMULA = /([,;|][ "]*)([=+\-@＝＋－＠])/g

/** Escapes the same characters in JSON, whose value stays the same. */
const neutraliseJson = (json: string): string =>
  json.replace(
    JSON_FORMULA,
    (_, before: string, character: string) =>
      `${before}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
