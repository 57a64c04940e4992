import type { DatasetRecord } from '../../db/dataset-records.ts'

/** Columns before those of the scores. */
const COLUMNS: readonly [name: string, value: (record: DatasetRecord) => string | null | undefined][] = [
  ['referenceNumber', (record) => record.referenceNumber],
  ['status', (record) => record.status],
  ['platform', (record) => record.platform],
  ['uploadedAt', (record) => record.uploadedAt],
  ['settledAt', (record) => record.settledAt],
  ['deviceId', (record) => record.deviceId],
  ['clientId', (record) => record.clientId],
  ['invalidCode', (record) => record.invalid?.code],
  ['invalidDetail', (record) => record.invalid?.detail],
]

/** The first line: names of columns, of each score code two. */
export const writeHeader = (codes: readonly string[]): string =>
  writeLine([
    ...COLUMNS.map(([name]) => name),
    ...codes.flatMap((code) => [writeText(code), writeText(`${code} probability`)]),
  ])

/** A line for each record; a score that there is not is empty. */
export const writeRecords = (records: readonly DatasetRecord[], codes: readonly string[]): string =>
  records.map((record) => writeLine(writeCells(record, codes))).join('')

function writeCells(record: DatasetRecord, codes: readonly string[]): string[] {
  const scores = codes.flatMap((code) => {
    const score = record.scores.find((one) => one.code === code)
    return [String(score?.value ?? ''), String(score?.probability ?? '')]
  })
  return [...COLUMNS.map(([, value]) => writeText(value(record) ?? '')), ...scores]
}

/** A line that only its first cell says something in. */
export const writeRemark = (remark: string, codes: readonly string[]): string =>
  writeLine([writeText(remark), ...Array<string>(COLUMNS.length - 1 + 2 * codes.length).fill('')])

/** With the line's end that the standard wants. @see RFC 4180 */
const writeLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** What a spreadsheet would take for a formula. @see OWASP, CSV Injection */
const FORMULA = /^[=+\-@\t\r]/

/** A text as a cell: one that a spreadsheet would calculate gets an apostrophe, and quotes where it needs them. */
function writeText(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
