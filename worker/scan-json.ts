import { CaptureError } from './capture-error.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c

/**
 * How deep a JSON text nests, how many members its objects have in all, and how many commas separate its values,
 * without parsing it.
 *
 * Stops early, with what it has seen, where the text nests deeper than `maxDepth`. Of a text that is not JSON the
 * numbers mean nothing, which a parse will tell.
 */
export function scanJson(
  json: Uint8Array,
  maxDepth: number,
): { depth: number; members: number; commas: number } {
  let depth = 0
  let deepest = 0
  let members = 0
  let commas = 0
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        // to the closing quote; what a backslash escapes cannot close the string
        for (at++; at < json.length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++
        break
      case COLON:
        members++
        break
      case COMMA:
        commas++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepest) deepest = depth
        if (depth > maxDepth) return { depth, members, commas }
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return { depth: deepest, members, commas }
}

/**
 * How many members the objects of a parsed JSON value have in all.
 *
 * @throws CaptureError `forbidden_member` where one is named `__proto__`: no SDK writes it, and whoever copies members
 * one by one would set a prototype.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += countMembers(item)
    return members
  }
  for (const name in value) {
    members++
    if (name === '__proto__') throw new CaptureError('forbidden_member', 'A member is named __proto__')
    const member = (value as Record<string, unknown>)[name]
    if (typeof member === 'object') members += countMembers(member)
  }
  return members
}
