import type { Expression } from '../../db/scorecards/definition/expression.ts'
import type { Inputs } from './model.ts'

/** Computes a number from inputs; NaN if one is missing or not a number. */
export type Calculation = (inputs: Inputs) => number

/** Compiles an expression. */
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

const unary =
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
  ln: unary(Math.log),
  exp: unary(Math.exp),
  sqrt: unary(Math.sqrt),
  abs: unary(Math.abs),
  floor: unary(Math.floor),
  ceil: unary(Math.ceil),
}
