import type { Expression } from '../../db/scorecards/definition/expression.ts'
import type { Inputs } from './model.ts'

/** A number from inputs; NaN where one is missing or is no number. */
export type Calculation = (inputs: Inputs) => number

/** Makes an expression ready. */
export function compileExpression(expression: Expression): Calculation {
  if (typeof expression === 'number') return () => expression
  if ('input' in expression) {
    const { input } = expression
    return (inputs) => {
      const value = inputs[input]
      return typeof value === 'number' ? value : Number.NaN
    }
  }
  const calculate = CALCULATE[expression.op]
  const args = expression.args.map(compileExpression)
  return (inputs) => calculate(args.map((arg) => arg(inputs)))
}

type Functions = Extract<Expression, { op: string }>['op']

const of =
  (calculate: (x: number) => number) =>
  ([x = Number.NaN]: readonly number[]) =>
    calculate(x)
const fold =
  (calculate: (x: number, y: number) => number) =>
  (args: readonly number[]): number =>
    args.reduce(calculate)

const CALCULATE: Record<Functions, (args: readonly number[]) => number> = {
  '+': fold((x, y) => x + y),
  '-': (args) => (args.length === 1 ? -(args[0] as number) : fold((x, y) => x - y)(args)),
  '*': fold((x, y) => x * y),
  '/': fold((x, y) => x / y),
  min: (args) => Math.min(...args),
  max: (args) => Math.max(...args),
  pow: fold((x, y) => x ** y),
  ln: of(Math.log),
  exp: of(Math.exp),
  sqrt: of(Math.sqrt),
  abs: of(Math.abs),
  floor: of(Math.floor),
  ceil: of(Math.ceil),
}
