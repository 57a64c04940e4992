import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { type BuiltScorecard, Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { printAnswer } from '../cli/with-database.ts'
import { readFeatureMap } from '../scorecards/import/feature-map.ts'
import { FORMATS, type Format } from '../scorecards/import/formats.ts'
import { type Imported, importScorecard } from '../scorecards/import/import-scorecard.ts'
import type { ImportOptions } from '../scorecards/import/import-types.ts'
import { readCsv } from '../scorecards/import/read-table.ts'
import { readReasonTexts } from '../scorecards/import/reason-texts.ts'
import { BOOSTERS } from '../scorecards/import/trees/imported-trees.ts'
import { addVerificationRows } from '../scorecards/verify/add-verification-rows.ts'
import { rowsOfCard, rowsOfTables } from '../scorecards/verify/expected-rows.ts'
import { type Verification, verifyRows } from '../scorecards/verify/verify-rows.ts'

interface Flags extends Omit<ImportOptions, 'map' | 'texts'> {
  readonly map?: string
  readonly texts?: string
  readonly rows?: string
  readonly results?: string
  readonly output?: string
}

const HELP = `
Needs no database. Reports the parts that were understood or left out and the result of verification; with --output also
writes the definition, for scorecard deploy. Nothing is written if a row does not match.

The map is CSV with the columns input,feature and optionally special, missing, categories (values joined by |), values
(for example true=Yes|false=No), reason, text, baseline. An input without a feature can be verified, but not deployed.

Examples:
  scripts/admin scorecard import card.csv --bad "90 days past due within 12 months" --pdo 50 --base-score 600 \\
    --base-odds 1/19 --model model.csv --bins bins.csv --rows input.csv --results expected.csv --output card.json
  scripts/admin scorecard import model.pmml --bad "default within 12 months" --map features.csv --output model.json`

/** Adds `scorecard import`. */
export function importCommand(scorecard: Command, io: CommandIo): void {
  scorecard
    .command('import <file>')
    .description('Import a scorecard from another tool and verify it; pickle files are not supported')
    .addOption(
      new Option('--format <format>', 'format of the file; detected by default').choices(
        Object.keys(FORMATS) as Format[],
      ),
    )
    .option('--map <file>', 'CSV that maps each input to a feature')
    .option('--output <file>', 'write the definition to this file')
    .option('--name <text>', 'name of the scorecard; by default the file name')
    .option('--bad <text>', 'definition of bad, for example "90 days past due within 12 months"')
    .addOption(
      new Option(
        '--platforms <names...>',
        'supported platforms; by default those that have all of its features',
      ).choices(PLATFORMS),
    )
    .option('--rows <file>', 'CSV of inputs for verification, with their results unless --results has them')
    .option('--results <file>', 'CSV of the results of those rows: score, probability, reason_code_1, …')
    .option('--pdo <points>', 'points to double the odds', parseNumber)
    .option('--base-score <score>', 'score at the base odds', parseNumber)
    .option('--base-odds <odds>', 'base odds, for example 20 or 1/19', parseOdds)
    .addOption(new Option('--odds <which>', 'meaning of the base odds').choices(['good:bad', 'bad:good']))
    .addOption(
      new Option('--direction <which>', 'direction of the scores').choices([
        'higherIsBetter',
        'higherIsWorse',
      ]),
    )
    .option('--no-probability', 'import only scores')
    .option('--base-points <points>', 'constant points that are not in the table', parseNumber)
    .option(
      '--model <file>',
      'CSV of coefficients on weights of evidence, for exact probabilities: term,coef',
    )
    .option('--bins <file>', 'CSV of the weights of evidence: variable,bin,woe')
    .option('--score-output <name>', 'PMML: the output that is the score; by default the predicted value')
    .option('--bad-category <name>', 'PMML that predicts categories: the bad category')
    .option('--texts <file>', 'CSV of reason code texts: code,text and optionally language')
    .option('--objective <name>', 'trees: the objective, if the file does not contain it')
    .option('--xgboost-base-score <number>', 'XGBoost dump: its base_score', parseNumber)
    .addOption(
      new Option(
        '--booster <name>',
        'trees: the booster, if the file does not contain it (XGBoost dump, old LightGBM)',
      ).choices(BOOSTERS),
    )
    .addOption(
      new Option('--rounds <which>', 'XGBoost with early stopping: the rounds to use').choices([
        'all',
        'best',
      ]),
    )
    .addOption(new Option('--event <what>', 'trees: the meaning of class 1').choices(['bad', 'good']))
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags) => {
      const map = flags.map === undefined ? undefined : await readFeatureMap(flags.map)
      const texts = flags.texts === undefined ? undefined : await readReasonTexts(flags.texts)
      const imported = await importScorecard(file, { ...flags, map, texts })
      const { rows, notCompared } = await readRows(imported.card, flags)
      const verification = verifyRows(imported.card, rows)
      const report = presentReport(file, imported, verification, notCompared)
      if (verification.first) throw new UserError(`${report}\nNothing is written.`)
      const card = addVerificationRows(imported.card, rows)
      if (flags.output !== undefined) await writeFile(flags.output, `${JSON.stringify(card, undefined, 2)}\n`)
      io.stderr.write(`${report}\n`)
      printAnswer(io, answer(file, imported, verification, notCompared, flags.output))
    })
}

async function readRows(card: BuiltScorecard, { rows, results }: Flags) {
  const own = rowsOfCard(card)
  if (rows === undefined) {
    if (results !== undefined) throw new UsageError('--results needs --rows, the inputs of these results')
    return { rows: own, notCompared: [] }
  }
  const read = async (file: string) => readCsv(await readFile(file, 'utf8'), basename(file))
  const inputs = await read(rows)
  const given = rowsOfTables(card, inputs, results === undefined ? inputs : await read(results))
  return { ...given, rows: [...own, ...given.rows] }
}

function answer(
  file: string,
  { format, card, understood, notes, unmapped, verified }: Imported,
  verification: Verification,
  notCompared: readonly string[],
  output?: string,
) {
  return {
    file,
    format,
    name: card.name,
    inputs: card.inputs.map(({ name, feature = null, type }) => ({ name, feature, type })),
    understood,
    notes,
    unmapped,
    verification: {
      rows: verification.rows + verified,
      matched: verification.matched + verified,
      notCompared,
    },
    deployable: Scorecard.safeParse(card).success,
    output: output ?? null,
  }
}

function presentReport(
  file: string,
  { format, card, understood, notes, unmapped, verified }: Imported,
  given: Verification,
  notCompared: readonly string[],
): string {
  const rows = given.rows + verified
  const { issues = [] } = Scorecard.safeParse(card).error ?? {}
  const errors = issues.filter(({ path: [, at] }) => card.inputs[Number(at)]?.feature !== undefined)
  const lines = [
    `${file}: ${card.name}, ${FORMATS[format]}`,
    ...understood.map((sentence) => `  understood  ${sentence}`),
    ...notes.map((sentence) => `  note        ${sentence}`),
    `  verified    ${rows === 0 ? 'nothing: the file has no rows; provide some with --rows' : `${given.matched + verified} of ${rows} rows match${given.precision === undefined ? '' : ` (${given.precision})`}`}`,
    ...notCompared.map((sentence) => `              ${sentence}`),
    ...(given.first
      ? [
          `  mismatch    ${given.first.place}, ${given.first.what}: expected ${given.first.expected}, got ${given.first.got}`,
          `              inputs ${JSON.stringify(given.first.inputs)}`,
          ...given.first.hints.map((hint) => `              note   ${hint}`),
        ]
      : []),
    ...unmapped.map(
      ({ input, nearest }) => `  to deploy   map ${input} to a feature: ${nearest.join(', ')}?`,
    ),
    ...errors.map(({ message }) => `  to deploy   ${message}`),
  ]
  return lines.join('\n')
}

function parseNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw new InvalidArgumentError('Give a number.')
}

function parseOdds(text: string): number {
  const [above = '', below = '1', ...more] = text.split('/')
  const value = parseNumber(above) / parseNumber(below)
  if (more.length === 0 && value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('Give odds above 0, for example 20 or 1/19.')
}
