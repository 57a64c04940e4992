import { z } from 'zod'
import { InputName } from './inputs.ts'
import { limitDepth } from './limit-depth.ts'

const Value = z.union([z.number(), z.string().max(200), z.boolean()])

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='] as const

/** A condition on inputs. A comparison with a missing input is neither true nor false, as in SQL. */
export type Predicate =
  | {
      readonly input: string
      readonly op: (typeof COMPARISONS)[number]
      readonly value: number | string | boolean
    }
  | {
      readonly input: string
      readonly op: 'in' | 'not in'
      readonly values: readonly (number | string | boolean)[]
    }
  | { readonly input: string; readonly op: 'missing' | 'known' }
  | { readonly all: readonly Predicate[] }
  | { readonly any: readonly Predicate[] }
  | { readonly not: Predicate }

const AnyPredicate: z.ZodType<Predicate> = z.lazy(() =>
  z.union(
    [
      z.strictObject({ input: InputName, op: z.enum(COMPARISONS), value: Value }),
      z.strictObject({
        input: InputName,
        op: z.enum(['in', 'not in']),
        values: z.array(Value).min(1).max(1_000),
      }),
      z.strictObject({ input: InputName, op: z.enum(['missing', 'known']) }),
      z.strictObject({ all: z.array(AnyPredicate).min(1).max(100) }),
      z.strictObject({ any: z.array(AnyPredicate).min(1).max(100) }),
      z.strictObject({ not: AnyPredicate }),
    ],
    `must be {input, op, value} with op ${COMPARISONS.join(' ')}, {input, op: in | not in, values}, ` +
      '{input, op: missing | known}, {all: […]}, {any: […]} or {not: …}, and nothing else',
  ),
)

export const Predicate = limitDepth(AnyPredicate, 100, 'conditions')

/** Lists the inputs that a predicate reads, with repetitions. */
export function inputsOfPredicate(predicate: Predicate): string[] {
  if ('all' in predicate) return predicate.all.flatMap(inputsOfPredicate)
  if ('any' in predicate) return predicate.any.flatMap(inputsOfPredicate)
  return 'not' in predicate ? inputsOfPredicate(predicate.not) : [predicate.input]
}
