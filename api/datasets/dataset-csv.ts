import type { DatasetRecord } from '../../db/datasets/dataset-records.ts'
import type { DescribedRecord } from './describe-records.ts'

/** Columns before those of the scores. */
const COLUMNS: readonly [name: string, value: (record: DatasetRecord) => string | null | undefined][] = [
  ['referenceNumber', (record) => record.referenceNumber],
  ['status', (record) => record.status],
  ['platform', (record) => record.platform],
  ['uploadedAt', ({ uploadedAt }) => zoned(uploadedAt)],
  ['settledAt', ({ settledAt }) => zoned(settledAt)],
  ['deviceId', (record) => record.deviceId],
  ['clientId', (record) => record.clientId],
  ['invalidCode', (record) => record.invalid?.code],
  ['invalidDetail', (record) => record.invalid?.detail],
]

/** A time with its zone: without one, spreadsheets and programs take it for local. */
const zoned = (at: string | null): string | null => (at === null ? null : `${at}Z`)

/** Between two reasons in a cell. */
const SEPARATOR = '; '

/** Names of the columns; those of a later version follow the ones before. */
const namesOf = (codes: readonly string[]): string[] => [
  ...COLUMNS.map(([name]) => name),
  ...codes.flatMap((code) => [code, `${code} probability`]),
  ...codes.flatMap((code) => [`${code} reason codes`, `${code} reasons`]),
  'additionalInfo',
]

/** The first line: names of columns, for each score code four. */
export const writeHeader = (codes: readonly string[]): string => writeLine(namesOf(codes).map(writeText))

/** A line for each record; a score that there is not is empty. */
export const writeRecords = (records: readonly DescribedRecord[], codes: readonly string[]): string =>
  records.map((record) => writeLine(writeCells(record, codes))).join('')

function writeCells(record: DescribedRecord, codes: readonly string[]): string[] {
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
    ...COLUMNS.map(([, value]) => writeText(value(record) ?? '')),
    ...scores,
    ...reasons.map((texts) => writeText(texts.join(SEPARATOR))),
    writeText(Object.keys(additionalInfo).length === 0 ? '' : JSON.stringify(additionalInfo)),
  ]
}

/** A line that only its first cell says something in. */
export const writeRemark = (remark: string, codes: readonly string[]): string =>
  writeLine([
    writeText(remark),
    ...namesOf(codes)
      .slice(1)
      .map(() => ''),
  ])

/** With the line's end that the standard wants. @see RFC 4180 */
const writeLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** What a spreadsheet would take for a formula. @see OWASP, CSV Injection */
const FORMULA = /^[=+\-@\t\r]/

/** A text as a cell: one that a spreadsheet would calculate gets an apostrophe, and quotes where it needs them. */
function writeText(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
