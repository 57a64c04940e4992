import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { type BuiltScorecard, Scorecard } from '../../db/scorecards/definition/definition.ts'
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
Needs no database. Answers with what was understood, what was left out and how the rows came out; with --output the
definition is written, for scorecard deploy. Nothing is written where a row came out otherwise.

The map is CSV: input,feature and, as wanted, special, missing, categories (values joined by |), values (as
true=Yes|false=No), reason, text, baseline. Without a feature an input can be verified, not deployed.

Examples:
  scripts/admin scorecard import card.csv --bad "90 days past due within 12 months" --pdo 50 --base-score 600 \\
    --base-odds 1/19 --model model.csv --bins bins.csv --rows input.csv --results expected.csv --output card.json
  scripts/admin scorecard import model.pmml --bad "default within 12 months" --map features.csv --output model.json`

/** Adds `scorecard import`. */
export function importCommand(scorecard: Command): void {
  scorecard
    .command('import <file>')
    .description('Read a scorecard of another tool and verify it; never a pickle')
    .addOption(
      new Option('--format <format>', 'instead of finding out').choices(Object.keys(FORMATS) as Format[]),
    )
    .option('--map <file>', 'CSV that says which feature each input is')
    .option('--output <file>', 'where the definition goes')
    .option('--name <text>', 'of the scorecard; the file’s name if left out')
    .option('--bad <text>', 'what counts as bad')
    .addOption(
      new Option(
        '--platforms <names...>',
        'what it is for; where all of its features are, if left out',
      ).choices(PLATFORMS),
    )
    .option('--rows <file>', 'CSV of inputs to verify with, and their results if no other file has them')
    .option('--results <file>', 'CSV of the results of those rows: score, probability, reason_code_1, …')
    .option('--pdo <points>', 'points to double the odds', parseNumber)
    .option('--base-score <score>', 'score at the base odds', parseNumber)
    .option('--base-odds <odds>', 'as 20 or 1/19', parseOdds)
    .addOption(
      new Option('--odds <which>', 'what the base odds are the odds of').choices(['good:bad', 'bad:good']),
    )
    .addOption(new Option('--direction <which>', 'of scores').choices(['higherIsBetter', 'higherIsWorse']))
    .option('--no-probability', 'scores only')
    .option('--base-points <points>', 'that everybody has and the table lacks', parseNumber)
    .option(
      '--model <file>',
      'CSV of coefficients on weights of evidence, for exact probabilities: term,coef',
    )
    .option('--bins <file>', 'CSV of the weights of evidence: variable,bin,woe')
    .option('--score-output <name>', 'of PMML: the output that is the score, if not what is predicted')
    .option('--bad-category <name>', 'of PMML that predicts categories: the one that is bad')
    .option('--texts <file>', 'CSV of the texts of reason codes: code,text and, as wanted, language')
    .option('--objective <name>', 'of trees whose file does not say it')
    .option('--xgboost-base-score <number>', 'base_score of a dump of XGBoost', parseNumber)
    .addOption(
      new Option(
        '--booster <name>',
        'of trees whose file does not say it: a dump of XGBoost, old LightGBM',
      ).choices(BOOSTERS),
    )
    .addOption(
      new Option('--rounds <which>', 'of XGBoost, where training stopped early').choices(['all', 'best']),
    )
    .addOption(new Option('--event <what>', 'what class 1 of trees is').choices(['bad', 'good']))
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags) => {
      const map = flags.map === undefined ? undefined : await readFeatureMap(flags.map)
      const texts = flags.texts === undefined ? undefined : await readReasonTexts(flags.texts)
      const imported = await importScorecard(file, { ...flags, map, texts })
      const { rows, notCompared } = await readRows(imported.card, flags)
      const verification = verifyRows(imported.card, rows)
      const account = presentAccount(file, imported, verification, notCompared)
      if (verification.first) throw new UserError(`${account}\nNothing is written.`)
      const card = addVerificationRows(imported.card, rows)
      if (flags.output !== undefined) await writeFile(flags.output, `${JSON.stringify(card, undefined, 2)}\n`)
      process.stderr.write(`${account}\n`)
      printAnswer(answer(file, imported, verification, notCompared, flags.output))
    })
}

async function readRows(card: BuiltScorecard, { rows, results }: Flags) {
  const own = rowsOfCard(card)
  if (rows === undefined) {
    if (results !== undefined)
      throw new UsageError('--results belong to --rows, the inputs that they are the results of')
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

function presentAccount(
  file: string,
  { format, card, understood, notes, unmapped, verified }: Imported,
  given: Verification,
  notCompared: readonly string[],
): string {
  const rows = given.rows + verified
  const { issues = [] } = Scorecard.safeParse(card).error ?? {}
  const faults = issues.filter(({ path: [, at] }) => card.inputs[Number(at)]?.feature !== undefined)
  const lines = [
    `${file}: ${card.name}, ${FORMATS[format]}`,
    ...understood.map((sentence) => `  understood  ${sentence}`),
    ...notes.map((sentence) => `  note        ${sentence}`),
    `  verified    ${rows === 0 ? 'nothing: no rows came with it; give some with --rows' : `${given.matched + verified} of ${rows} rows match${given.precision === undefined ? '' : ` (${given.precision})`}`}`,
    ...notCompared.map((sentence) => `              ${sentence}`),
    ...(given.first
      ? [
          `  mismatch    ${given.first.place}, ${given.first.what}: expected ${given.first.expected}, got ${given.first.got}`,
          `              inputs ${JSON.stringify(given.first.inputs)}`,
          ...given.first.hints.map((hint) => `              note   ${hint}`),
        ]
      : []),
    ...unmapped.map(
      ({ input, nearest }) => `  to deploy   say which feature ${input} is: ${nearest.join(', ')}?`,
    ),
    ...faults.map(({ message }) => `  to deploy   ${message}`),
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
  throw new InvalidArgumentError('Give odds above 0, as 20 or 1/19.')
}
