import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { findColumn, readCsv, requireColumn } from './read-table.ts'

/** By reason code, by language. */
export type ReasonTexts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Reads the texts of reason codes: CSV with the columns `code,text` and optionally `language` (en by default). */
export async function readReasonTexts(file: string): Promise<ReasonTexts> {
  const table = readCsv(await readFile(file, 'utf8'), basename(file))
  const code = requireColumn(table, 'code', 'reason')
  const text = requireColumn(table, 'text')
  const language = findColumn(table, 'language')
  const texts: Record<string, Record<string, string>> = {}
  for (const { cells } of table.rows)
    texts[cells[code] ?? ''] = {
      ...texts[cells[code] ?? ''],
      [(language === undefined ? '' : cells[language]) || 'en']: cells[text] ?? '',
    }
  return texts
}
