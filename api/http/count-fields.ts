/**
 * Counts the fields of a name, which is in lower case. `headers` joins or drops repeated ones, and `headersDistinct` would cost five times all
 * checks of `reject-malformed.ts`.
 *
 * @param rawHeaders names and values in turn, as Node has them.
 */
export function countFields(rawHeaders: readonly string[], name: string): number {
  let fields = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at]
    if (field?.length === name.length && field.toLowerCase() === name) fields++
  }
  return fields
}
