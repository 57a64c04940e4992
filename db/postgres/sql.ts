/** A value that a statement is sent with; `undefined` is none, so that a forgotten value is a type error. */
type SqlValue = string | number | boolean | null | Date | Buffer | readonly unknown[]

/** A statement, or a part of one that another statement includes, with its values in place. */
export class Sql {
  /** One more than values: each value stands between two of them. */
  readonly #texts: readonly string[]
  readonly values: readonly SqlValue[]

  constructor(texts: readonly string[], values: readonly (SqlValue | Sql)[]) {
    const flatTexts = [texts[0] ?? '']
    const flatValues: SqlValue[] = []
    const append = (text: string) => flatTexts.push(`${flatTexts.pop()}${text}`)
    for (const [n, value] of values.entries()) {
      if (value instanceof Sql) {
        const [first = '', ...others] = value.#texts
        append(first)
        flatTexts.push(...others)
        flatValues.push(...value.values)
        append(texts[n + 1] ?? '')
      } else {
        flatValues.push(value)
        flatTexts.push(texts[n + 1] ?? '')
      }
    }
    this.#texts = flatTexts
    this.values = flatValues
  }

  /** The text with `$1`, `$2` and so on in place of the values. */
  get text(): string {
    return this.#texts.reduce((text, next, n) => `${text}$${n}${next}`)
  }
}

/**
 * Builds a statement from a template: a value becomes a parameter, a part built by `sql` is included as it is.
 *
 * A value used twice is sent twice: Postgres gives each parameter one type, and equal values may need different ones.
 */
export const sql = (texts: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql =>
  new Sql(texts, values)

/** Includes a text of this code, never of a client, in a statement. */
export const raw = (text: string): Sql => new Sql([text], [])

/** Joins parts by a separator; no parts are an empty text. */
export const join = (parts: readonly Sql[], separator: string): Sql =>
  new Sql(['', ...parts.map((_, n) => (n < parts.length - 1 ? separator : ''))], parts)

/**
 * Rows as a list for `values`: `($1::int, $2::text), ($3, $4)`.
 *
 * Faster than arrays for `unnest`, which node-postgres has to escape into one text.
 *
 * @param casts the types of the columns.
 */
export function valueRows(casts: readonly string[], rows: readonly (readonly SqlValue[])[]): Sql {
  const texts = ['(']
  for (const row of rows.keys())
    for (const [column, cast] of casts.entries()) {
      const type = row === 0 ? `::${cast}` : '' // the other rows take their types from the first
      texts.push(type + (column < casts.length - 1 ? ', ' : row < rows.length - 1 ? '), (' : ')'))
    }
  return new Sql(texts, rows.flat())
}
