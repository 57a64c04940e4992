const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Objects and lists: the largest forest that fits in 8 MB has 150,000, a table of 500 characteristics 60,000. */
const MAX_CONTAINERS = 200_000

/** Expressions, predicates and models nest far less. */
const MAX_DEPTH = 1_000

/** Values of lists and members of objects. */
const MAX_VALUES = 3_000_000

/**
 * Counts what a JSON text contains, without parsing it: parsed, an empty list takes 10 times its bytes, and its error message 300
 * times.
 *
 * @returns why it cannot be a definition; undefined if it can be.
 */
export function findSizeError(json: Uint8Array): string | undefined {
  let depth = 0
  let containers = 0
  let values = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return 'is nested too deeply'
      if (++containers > MAX_CONTAINERS)
        return `has more than ${MAX_CONTAINERS.toLocaleString('en')} objects and lists`
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    else if (byte === COMMA && ++values > MAX_VALUES)
      return `has more than ${MAX_VALUES.toLocaleString('en')} values`
  }
  return undefined
}
