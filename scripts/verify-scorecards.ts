import { Command } from 'commander'
import { Refusal } from './admin-commands/refusal.ts'
import { startProgress } from './progress.ts'
import { findModels } from './scorecards/verify/find-models.ts'
import { type OpenModel, openModel } from './scorecards/verify/verify-model.ts'
import { type Mismatch, verifyRows } from './scorecards/verify/verify-rows.ts'

const HELP = `
A model is X.pmml, X.json (a definition, or one of XGBoost, LightGBM, toad) or X.card.csv (with X.model.csv and X.bins.csv
for exact probabilities). Its rows are in X.csv or input.csv, its results in X.expected.csv or expected.csv; one file can
hold both, and card.csv, model.csv and bins.csv need no X. Rows that a definition or a PMML file brings are verified too.

Columns: inputs by the model's names; score; probability (of bad); reason_code_1, reason_code_2, …, or reason_codes joined
by |; NAME_points; in PMML, any output or target by its name. One expected.csv serves many models with the columns model,
input and expected, whose cells are name=value;name=value.

What a file does not tell is in X.verify.json or verify.json: format, pdo, baseScore, baseOdds, odds, direction, basePoints,
objective, xgboostBaseScore, rounds, event, scoreOutput, badCategory.

Scores must be the same (to 9 digits where they are no whole numbers), probabilities within 0.000001, reasons in their order.
Exits 1 where a row differs, a file is not understood, or there is nothing to verify.

Examples:
  npm run verify:scorecards -- models
  scripts/verify-scorecards models/2027`

const [folder = ''] = new Command('verify-scorecards')
  .description('Scores every row of a folder of models and compares it with what another engine computed.')
  .argument('<folder>', 'where the models are, also in folders below')
  .addHelpText('after', HELP)
  .parse().args

/** Whether everything matched. */
async function verifyFolder(): Promise<boolean> {
  const files = await findModels(folder)
  const opened: { name: string; open: OpenModel | Refusal }[] = []
  for (const found of files)
    opened.push({
      name: found.name,
      open: await openModel(found).catch((error: unknown) => {
        if (error instanceof Refusal) return error
        throw error
      }),
    })
  const total = opened.reduce(
    (sum, { open }) => sum + (open instanceof Refusal ? 0 : open.rows.length + open.verified),
    0,
  )
  const progress = startProgress('verify', total)
  const lines: string[] = []
  let [done, matched, failed] = [0, 0, 0]
  for (const { name, open } of opened) {
    if (open instanceof Refusal) {
      failed++
      lines.push(`✗ ${name}: ${open.message}`)
      continue
    }
    done += open.verified
    const verified = verifyRows(open.card, open.rows, () => progress.update(++done))
    matched += verified.matched + open.verified
    if (verified.first) failed++
    lines.push(present(name, verified.rows + open.verified, verified.matched + open.verified))
    if (verified.first) lines.push(presentMismatch(verified.first))
  }
  progress.finish()
  process.stdout.write(`${lines.join('\n')}\n${matched} of ${total} rows of ${files.length} models match\n`)
  if (total === 0)
    process.stderr.write(`There is nothing to verify in ${folder}; --help says how files are called\n`)
  return failed === 0 && total > 0
}

function present(name: string, rows: number, matched: number): string {
  if (rows === 0) return `- ${name}: understood, no results to compare with`
  return `${matched === rows ? '✓' : '✗'} ${name}: ${matched} of ${rows} rows match`
}

const presentMismatch = ({ place, what, inputs, expected, got }: Mismatch) =>
  `  first mismatch: ${place}, ${what}
    inputs    ${JSON.stringify(inputs)}
    expected  ${expected}
    got       ${got}`

try {
  if (!(await verifyFolder())) process.exitCode = 1
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
