import { Command } from 'commander'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { startProgress } from './cli/progress.ts'
import { UserError } from './cli/user-error.ts'
import { verifyFolder } from './scorecards/verify/verify-folder.ts'

exitOnClosedPipe()

const HELP = `
A model is X.pmml, X.json (a definition, or a file of XGBoost, LightGBM or toad) or X.card.csv (with X.model.csv and
X.bins.csv for exact probabilities). Its rows are in X.csv or input.csv, its results in X.expected.csv or expected.csv; one
file can contain both, and card.csv, model.csv and bins.csv need no X. Rows in a definition or PMML file are verified too.

Columns: inputs by name; score; probability (of bad); reason_code_1, reason_code_2, …, or reason_codes joined
by |; NAME_points; in PMML, any output or target by its name. One expected.csv serves many models with the columns model,
input and expected, whose cells are name=value;name=value.

Information that a file lacks is in X.verify.json or verify.json: format, pdo, baseScore, baseOdds, odds, direction, basePoints,
objective, xgboostBaseScore, booster, rounds, event, scoreOutput, badCategory, map (a file beside it, for reasons).

Scores must match (to 9 digits if they are not whole numbers, otherwise to the precision of 32-bit floats or of the printed
digits, which is reported), probabilities within 0.000001 (or to the 4 or 5 decimals in a file), reasons in the same order.
Columns that are not compared are listed. Exits with 1 if a row differs, a file is invalid, or nothing is compared.

Examples:
  npm run verify:scorecards -- models
  npm run verify:scorecards -- models/model.pmml
  scripts/verify-scorecards models/2027`

const [folder = ''] = new Command('scripts/verify-scorecards')
  .description(
    'Scores every row of a folder of models and compares the results with those of another engine.',
  )
  .argument('<folder>', 'folder with the models, including subfolders, or one model')
  .addHelpText('after', HELP)
  .parse().args

try {
  const { lines, models, rows, matched, isGood } = await verifyFolder(folder, (total) =>
    startProgress('verify', total),
  )
  process.stdout.write([...lines, `${matched} of ${rows} rows of ${models} models match`, ''].join('\n'))
  if (rows === 0) process.stderr.write(`Nothing to verify in ${folder}; see --help for the file names\n`)
  if (!isGood) process.exitCode = 1
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
