import { z } from 'zod'
import { InputName } from './inputs.ts'

const FUNCTIONS = [
  '+',
  '-',
  '*',
  '/',
  'min',
  'max',
  'pow',
  'ln',
  'exp',
  'sqrt',
  'abs',
  'floor',
  'ceil',
] as const

/** Points that are computed from inputs. If an input is missing or the result is not finite, there is no score. */
export type Expression =
  | number
  | { readonly input: string }
  | { readonly op: (typeof FUNCTIONS)[number]; readonly args: readonly Expression[] }

export const Expression: z.ZodType<Expression> = z.lazy(() =>
  z.union(
    [
      z.number(),
      z.strictObject({ input: InputName }),
      z.strictObject({ op: z.enum(FUNCTIONS), args: z.array(Expression).min(1).max(100) }).refine(
        ({ op, args }) => {
          const [min, max] = ARGUMENTS[op] ?? [1, 1]
          return args.length >= min && args.length <= max
        },
        { error: 'has too few or too many args' },
      ),
    ],
    `must be a number, {input} or {op, args} with op ${FUNCTIONS.join(' ')}, and as many args as it takes`,
  ),
)

/** Minimum and maximum number of arguments; one if not listed. */
const ARGUMENTS: Partial<Record<(typeof FUNCTIONS)[number], [number, number]>> = {
  '+': [1, 100],
  '-': [1, 2],
  '*': [1, 100],
  '/': [2, 2],
  min: [1, 100],
  max: [1, 100],
  pow: [2, 2],
}

/** Lists the inputs that an expression reads, with repetitions. */
export function inputsOfExpression(expression: Expression): string[] {
  if (typeof expression === 'number') return []
  return 'input' in expression ? [expression.input] : expression.args.flatMap(inputsOfExpression)
}
