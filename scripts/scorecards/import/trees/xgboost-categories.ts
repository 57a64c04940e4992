import { z } from 'zod'
import { UserError } from '../../../cli/user-error.ts'

const Texts = z.object({ offsets: z.array(z.int()), values: z.array(z.int().min(-128).max(255)) })
const Numbers = z.object({ type: z.int(), values: z.array(z.number()) })

/** The categories of each feature as saved by XGBoost 3.1 and newer: concatenated bytes of texts, or integers. */
export const XgboostCategories = z.object({ enc: z.array(z.union([Texts, Numbers])).default([]) })

/**
 * Lists the category names by feature index; the index of a name is its code.
 *
 * @throws UserError if the offsets do not fit the bytes, or two categories have the same name.
 */
export function listXgboostCategories(
  cats: z.output<typeof XgboostCategories> | undefined,
  file: string,
): ReadonlyMap<number, readonly string[]> {
  const listed = new Map<number, readonly string[]>()
  for (const [feature, column] of (cats?.enc ?? []).entries()) {
    const names = 'offsets' in column ? decodeTexts(column, feature, file) : column.values.map(String)
    if (new Set(names).size < names.length)
      throw new UserError(`${file}: two categories of feature ${feature} have the same name`)
    if (names.length > 0) listed.set(feature, names)
  }
  return listed
}

function decodeTexts({ offsets, values }: z.output<typeof Texts>, feature: number, file: string): string[] {
  const bytes = Uint8Array.from(values, (byte) => byte & 255) // saved as signed bytes
  return offsets.slice(1).map((end, at) => {
    const begin = offsets[at] as number
    if (begin < 0 || end < begin || end > bytes.length)
      throw new UserError(`${file}: the categories of feature ${feature} have offsets beyond their bytes`)
    return new TextDecoder().decode(bytes.subarray(begin, end))
  })
}
