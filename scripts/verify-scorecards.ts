import { Command } from 'commander'
import { exitOnClosedPipe } from './cli/exit-on-closed-pipe.ts'
import { startProgress } from './cli/progress.ts'
import { UserError } from './cli/user-error.ts'
import { verifyFolder } from './scorecards/verify/verify-folder.ts'

exitOnClosedPipe()

const HELP = `
A model is X.pmml, X.json (a definition, or one of XGBoost, LightGBM, toad) or X.card.csv (with X.model.csv and X.bins.csv
for exact probabilities). Its rows are in X.csv or input.csv, its results in X.expected.csv or expected.csv; one file can
hold both, and card.csv, model.csv and bins.csv need no X. Rows that a definition or a PMML file brings are verified too.

Columns: inputs by the model's names; score; probability (of bad); reason_code_1, reason_code_2, …, or reason_codes joined
by |; NAME_points; in PMML, any output or target by its name. One expected.csv serves many models with the columns model,
input and expected, whose cells are name=value;name=value.

What a file does not tell is in X.verify.json or verify.json: format, pdo, baseScore, baseOdds, odds, direction, basePoints,
objective, xgboostBaseScore, booster, rounds, event, scoreOutput, badCategory, map (a file beside it, for reasons).

Scores must be the same (to 9 digits where they are no whole numbers, or as near as 32-bit floats or the printed digits are,
which is said then), probabilities within 0.000001 (or as near as the 4 or 5 decimals that a file has), reasons in their order.
Columns that are not compared are named. Exits 1 where a row differs, a file is not understood, or nothing is compared.

Examples:
  npm run verify:scorecards -- models
  npm run verify:scorecards -- models/model.pmml
  scripts/verify-scorecards models/2027`

const [folder = ''] = new Command('scripts/verify-scorecards')
  .description('Scores every row of a folder of models and compares it with what another engine computed.')
  .argument('<folder>', 'where the models are, also in folders below; or one model')
  .addHelpText('after', HELP)
  .parse().args

try {
  const { lines, models, rows, matched, isGood } = await verifyFolder(folder, (total) =>
    startProgress('verify', total),
  )
  process.stdout.write([...lines, `${matched} of ${rows} rows of ${models} models match`, ''].join('\n'))
  if (rows === 0)
    process.stderr.write(`There is nothing to verify in ${folder}; --help says how files are called\n`)
  if (!isGood) process.exitCode = 1
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
