/** Where something is in a text: counted from 1. */
export interface Place {
  readonly line: number
  /** Of the whole text, from 0. */
  readonly offset: number
}

/**
 * Where the value of a path is in a JSON text, as in `model.characteristics.0.attributes`; where there is no such value, the
 * innermost one around it. Names may hold dots themselves: the longest name that fits is meant.
 *
 * @param text valid JSON.
 */
export function locateFault(text: string, path: string): Place {
  let offset = skipSpace(text, 0)
  for (let rest = path; rest !== ''; ) {
    const step = text[offset] === '{' ? findMember(text, offset, rest) : findItem(text, offset, rest)
    if (!step) break
    offset = step.offset
    rest = step.rest
  }
  return placeOf(text, offset)
}

export function placeOf(text: string, offset: number): Place {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return { line, offset }
}

/** The line at a place without its indentation, shortened. */
export function lineAt(text: string, { offset }: Place, most = 100): string {
  const from = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const line = text.slice(from, end < 0 ? undefined : end)
  if (line.length <= most) return line.trim()
  return `${text.slice(offset, offset + most).trim()}…`
}

interface Step {
  readonly offset: number
  readonly rest: string
}

function findMember(text: string, open: number, path: string): Step | undefined {
  let found: Step | undefined
  let longest = -1
  for (let at = skipSpace(text, open + 1); text[at] === '"'; ) {
    const end = skipString(text, at)
    const name: string = JSON.parse(text.slice(at, end))
    const value = skipSpace(text, skipSpace(text, end) + 1) // past the colon
    if ((path === name || path.startsWith(`${name}.`)) && name.length > longest) {
      longest = name.length
      found = { offset: value, rest: path.slice(name.length + 1) }
    }
    const behind = skipSpace(text, skipValue(text, value))
    if (text[behind] !== ',') break
    at = skipSpace(text, behind + 1)
  }
  return found
}

function findItem(text: string, open: number, path: string): Step | undefined {
  const [, digits, rest = ''] = /^(\d+)(?:\.(.*))?$/s.exec(path) ?? []
  if (text[open] !== '[' || digits === undefined) return undefined
  let at = skipSpace(text, open + 1)
  for (let left = Number(digits); left > 0; left--) {
    const behind = skipSpace(text, skipValue(text, at))
    if (text[behind] !== ',') return undefined
    at = skipSpace(text, behind + 1)
  }
  return text[at] === ']' ? undefined : { offset: at, rest }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] as string)) at++
  return at
}

function skipString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skipValue(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return skipString(text, from)
  if (first !== '{' && first !== '[') {
    let at = from
    while (at < text.length && !',]} \n\r\t'.includes(text[at] as string)) at++
    return at
  }
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = skipString(text, at) - 1
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return text.length
}
