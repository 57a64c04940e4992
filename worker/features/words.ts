/** A word for a category: in lower case, without white space around it; undefined when nothing is left. */
export function parseWord(text: string | null | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined
}

/** The first number of a version: 14 of `14`, 18 of `iOS 18.1`, 10 of `10.0.19045`; undefined above 9999. */
export function parseMajorVersion(version: string | null | undefined): number | undefined {
  const digits = version?.match(/^\D{0,20}(\d{1,4})(?!\d)/)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
