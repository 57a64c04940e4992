import type { PmmlGeneralRegression, PredictorCell } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import { NoPrediction } from './errors.ts'
import type { Context } from './expressions.ts'
import type { Frame } from './program.ts'
import { contributionOf, requireNumber } from './regression.ts'
import { readThreshold, type Value } from './values.ts'

type Table = PmmlGeneralRegression['tables'][number]
type Parameter = Table['parameters'][number]
type Part = (frame: Frame) => Contribution

/** Compiles a linear predictor. Parameters of the same fields form one term, which is one characteristic. */
export function compileLinearPredictor(
  { parameters }: Table,
  context: Context,
): (frame: Frame) => { readonly y: number; readonly contributions: readonly Contribution[] } {
  let intercept = 0
  const groups = new Map<string, Parameter[]>()
  for (const parameter of parameters) {
    const { cells, coefficient } = parameter
    if (cells.length === 0) intercept += coefficient
    else {
      const key = JSON.stringify(cells.map(({ field }) => field).sort())
      const group = groups.get(key)
      if (group) group.push(parameter)
      else groups.set(key, [parameter])
    }
  }
  const parts = [...groups.values()].map((group) => compileGroup(group, context))
  return (frame) => {
    let y = intercept
    const contributions: Contribution[] = []
    for (const part of parts) {
      const contribution = part(frame)
      y += contribution.points
      contributions.push(contribution)
    }
    return { y, contributions }
  }
}

function compileGroup(group: readonly Parameter[], context: Context): Part {
  const [first] = group
  const [cell] = first?.cells ?? []
  if (first && cell && first.cells.length === 1) {
    if (!group.some(({ cells: [own] }) => own === undefined || 'exponent' in own))
      return compileFactor(cell.field, group, context)
    if (group.length === 1 && 'exponent' in cell) return compileCovariate(cell, first.coefficient, context)
  }
  return compileProducts(group, context)
}

/** Compiles a coefficient multiplied by a power of a number. */
function compileCovariate(
  { field, exponent }: Extract<PredictorCell, { exponent: number }>,
  coefficient: number,
  { scope }: Context,
): Part {
  const { read } = scope.find(field)
  const bin = exponent === 1 ? `× ${coefficient}` : `^${exponent} × ${coefficient}`
  return (frame) => {
    const input = requireNumber(read(frame), field)
    return contributionOf(field, input, bin, coefficient * (exponent === 1 ? input : input ** exponent))
  }
}

/** Compiles a factor: the points of each category are summed up in advance. */
function compileFactor(field: string, group: readonly Parameter[], context: Context): Part {
  const { read } = context.scope.find(field)
  const points = new Map<Value, { readonly bin: string; points: number }>()
  let isContrast = false
  const keyOf = compileKey(field, context)
  for (const { coefficient, cells } of group)
    for (const cell of cells) {
      if ('contrasts' in cell) isContrast = true
      for (const { category, value } of valuesOf(cell)) {
        const key = keyOf.constant(category)
        const known = points.get(key)
        if (known) known.points += coefficient * value
        else points.set(key, { bin: category, points: coefficient * value })
      }
    }
  return (frame) => {
    const input = read(frame)
    if (input === undefined) throw new NoPrediction(`${field} is missing`)
    const found = points.get(keyOf.value(input))
    if (!found && isContrast)
      throw new NoPrediction(`the contrasts of ${field} have no category ${JSON.stringify(input)}`)
    return contributionOf(field, input, found?.bin ?? 'else', found?.points ?? 0)
  }
}

const valuesOf = (cell: PredictorCell): readonly { category: string; value: number }[] =>
  'contrasts' in cell ? cell.contrasts : 'category' in cell ? [{ category: cell.category, value: 1 }] : []

/** Compiles the comparison of categories: by the data type of the field, or as text if that is unknown. */
function compileKey(field: string, { scope }: Context) {
  const { dataType } = scope.find(field)
  return {
    constant: (text: string): Value => readThreshold(text, dataType ?? 'string'),
    value: (value: number | string | boolean): Value => (dataType === undefined ? String(value) : value),
  }
}

type EvaluateCell = (frame: Frame) => number

/** Compiles interactions and sums of several powers of a number. */
function compileProducts(group: readonly Parameter[], context: Context): Part {
  const products = group.map(({ coefficient, cells }) => {
    const isNumber = (cell: PredictorCell) => 'exponent' in cell
    const compileAll = (all: readonly PredictorCell[]) => all.map((cell) => compileCell(cell, context))
    const factors = compileAll(cells.filter((cell) => !isNumber(cell)))
    const numbers = compileAll(cells.filter(isNumber))
    return (frame: Frame) => {
      let product = 1
      for (const factor of factors) product *= factor(frame)
      // numbers are read only if the categories match
      if (product !== 0) for (const number of numbers) product *= number(frame)
      return coefficient * product
    }
  })
  const fields = [...new Set(group[0]?.cells.map(({ field }) => field))]
  const reads = fields.map((name) => ({ name, read: context.scope.find(name).read }))
  const isFactor = new Set(
    group.flatMap(({ cells }) => cells.flatMap((cell) => ('exponent' in cell ? [] : cell.field))),
  )
  const characteristic = fields.join(' × ')
  return (frame) => {
    for (const { name, read } of reads)
      if (isFactor.has(name) && read(frame) === undefined) throw new NoPrediction(`${name} is missing`)
    let points = 0
    for (const product of products) points += product(frame)
    const input = reads.length === 1 ? (reads[0]?.read(frame) ?? null) : null
    const bin = reads.map(({ read }) => String(read(frame))).join(' × ')
    return contributionOf(characteristic, input, bin, points)
  }
}

function compileCell(cell: PredictorCell, context: Context): EvaluateCell {
  const { field } = cell
  const { read } = context.scope.find(field)
  if ('exponent' in cell) {
    const { exponent } = cell
    return (frame) => {
      const input = requireNumber(read(frame), field)
      return exponent === 1 ? input : input ** exponent
    }
  }
  const keyOf = compileKey(field, context)
  const values = new Map(valuesOf(cell).map(({ category, value }) => [keyOf.constant(category), value]))
  const otherwise = 'contrasts' in cell ? undefined : 0
  return (frame) => {
    const input = read(frame)
    if (input === undefined) throw new NoPrediction(`${field} is missing`)
    const value = values.get(keyOf.value(input)) ?? otherwise
    if (value === undefined)
      throw new NoPrediction(`the contrasts of ${field} have no category ${JSON.stringify(input)}`)
    return value
  }
}
