/** Where a text stops being JSON, and why, for a person; browsers tell the place of some faults only. */
export interface JsonFault {
  readonly offset: number
  readonly message: string
}

const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** The first fault of a text; undefined where it is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  let at = 0
  const closers: ('}' | ']')[] = []

  const take = (what: RegExp): boolean => {
    what.lastIndex = at
    if (!what.test(text)) return false
    at = what.lastIndex
    return true
  }
  const takeChar = (char: string): boolean => {
    take(SPACE)
    if (text[at] !== char) return false
    at++
    return true
  }
  const fault = (message: string): JsonFault => {
    take(SPACE)
    return {
      offset: Math.min(at, text.length),
      message: at >= text.length ? `${message}, but the text ends` : message,
    }
  }
  /** The name of a member and its colon. */
  const findNameFault = (): JsonFault | undefined => {
    take(SPACE)
    if (!take(STRING)) return fault('a name in double quotes is expected')
    return takeChar(':') ? undefined : fault('a colon is expected behind the name')
  }

  for (;;) {
    // a value
    if (takeChar('{')) {
      if (!takeChar('}')) {
        closers.push('}')
        const found = findNameFault()
        if (found) return found
        continue
      }
    } else if (takeChar('[')) {
      if (!takeChar(']')) {
        closers.push(']')
        continue
      }
    } else if (!take(STRING) && !take(SCALAR)) return fault('a value is expected')
    // what comes behind it
    for (;;) {
      const closer = closers.at(-1)
      if (closer === undefined) {
        take(SPACE)
        return at < text.length ? fault('nothing is expected behind the end') : undefined
      }
      if (takeChar(closer)) {
        closers.pop()
        continue
      }
      if (!takeChar(',')) return fault(`a comma or ${closer} is expected`)
      const found = closer === '}' ? findNameFault() : undefined
      if (found) return found
      break
    }
  }
}
