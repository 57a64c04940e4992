/** Normalises a category: lower case, trimmed; undefined if empty. */
export function parseCategory(text: string | null | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined
}

/** Returns the first number of a version: 14 for `14`, 18 for `iOS 18.1`, 10 for `10.0.19045`; undefined above 9999. */
export function parseMajorVersion(version: string | null | undefined): number | undefined {
  const digits = version?.match(/^\D{0,20}(\d{1,4})(?!\d)/)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
