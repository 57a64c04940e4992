import { UserError } from '../../cli/user-error.ts'
import { findModels } from './find-models.ts'
import { type OpenModel, openModel } from './verify-model.ts'
import { type Mismatch, verifyRows } from './verify-rows.ts'

/** The verification results of a folder. */
interface FolderVerification {
  /** Report: a line per model, and lines for its first mismatch. */
  readonly lines: readonly string[]
  readonly models: number
  readonly rows: number
  readonly matched: number
  /** Whether all files were understood, there were rows, and all rows matched. */
  readonly isGood: boolean
}

/** Receives the progress. */
type ShowProgress = (total: number) => { update(done: number): void; finish(): void }

/**
 * Scores every row of the models in a folder and compares the results.
 *
 * @throws UserError if the folder or its options cannot be read; an invalid model is reported as a line.
 */
export async function verifyFolder(folder: string, showProgress: ShowProgress): Promise<FolderVerification> {
  const opened: { name: string; open: OpenModel | UserError }[] = []
  for (const files of await findModels(folder))
    opened.push({ name: files.name, open: await openModel(files).catch(keepRefusal) })
  const rows = opened.reduce((sum, { open }) => sum + (open instanceof UserError ? 0 : countRows(open)), 0)
  const progress = showProgress(rows)
  const lines: string[] = []
  let [done, matched, failed] = [0, 0, 0]
  for (const { name, open } of opened) {
    if (open instanceof UserError) {
      failed++
      lines.push(`✗ ${name}: ${open.message}`)
      continue
    }
    done += open.verified
    const verified = verifyRows(open.card, open.rows, () => progress.update(++done))
    matched += verified.matched + open.verified
    const isNothing = verified.rows > 0 && verified.compared === 0
    lines.push(
      isNothing
        ? `✗ ${name}: no results to compare in ${verified.rows} rows`
        : presentModel(name, countRows(open), verified.matched + open.verified, verified.precision),
      ...open.notCompared.map((sentence) => `  ${sentence}`),
    )
    if (!verified.first && !isNothing) continue
    failed++
    if (verified.first) lines.push(presentMismatch(verified.first))
  }
  progress.finish()
  return { lines, models: opened.length, rows, matched, isGood: failed === 0 && rows > 0 }
}

const countRows = ({ rows, verified }: OpenModel) => rows.length + verified

function keepRefusal(error: unknown): UserError {
  if (error instanceof UserError) return error
  throw error
}

function presentModel(name: string, rows: number, matched: number, precision: string | undefined): string {
  if (rows === 0) return `- ${name}: understood, no results to compare with`
  const how = precision === undefined ? '' : ` (${precision})`
  return `${matched === rows ? '✓' : '✗'} ${name}: ${matched} of ${rows} rows match${how}`
}

const presentMismatch = ({ place, what, inputs, expected, got, hints }: Mismatch) =>
  [
    `  first mismatch: ${place}, ${what}`,
    `    inputs    ${JSON.stringify(inputs)}`,
    `    expected  ${expected}`,
    `    got       ${got}`,
    ...hints.map((hint) => `    note      ${hint}`),
  ].join('\n')
