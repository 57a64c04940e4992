import { gzipSync } from 'node:zlib'
import { type Input, inputOf } from './input.ts'

const MIB = 1024 * 1024
const HEAD = '{"format":"capture/1","platform":"android","collectedAt":"2026-11-20T08:15:30Z",'
/** Slightly fewer values than decoding allows. */
const MOST = 499_900

/** Allocates outside the JavaScript heap, by which decoding is measured. */
const join = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)))

const section = (...members: readonly (string | Buffer)[]) => join(HEAD, ...members, '}')

const repeat = (text: string, mib: number) => Buffer.alloc(mib * MIB, text)

function list(count: number, itemOf: (n: number) => string): Buffer {
  const text = Buffer.allocUnsafe(33 * MIB)
  let length = 0
  for (let n = 0; n < count; n++) length += text.write(n === 0 ? itemOf(n) : `,${itemOf(n)}`, length)
  return text.subarray(0, length)
}

const events = (eventOf: (n: number) => string) =>
  section(
    '"behaviour":{"startedAt":"2026-11-20T08:15:30Z","durationMs":1,"events":[',
    list(50_000, eventOf),
    ']}',
  )

/** Texts that cost as much as the limits allow, each in a different way; simple ones last. */
const TEXTS: Record<string, () => Buffer> = {
  NULs: () => repeat('\0', 32),
  'a text': () => section('"x":"', repeat('a', 31), '"'),
  'a whole number': () => section('"contacts":{"count":', repeat('9', 31), '}'),
  'many shapes of objects': () =>
    section(
      '"x":[',
      list(4_900, (n) => `{${Array.from({ length: 100 }, (_, member) => `"k${n}x${member}":0`)}}`),
      ']',
    ),
  'shapes below what is counted': () =>
    section(
      '"x":[',
      list(1_490, (n) => `{${Array.from({ length: 100 }, (_, member) => `"k${n}x${member}":0`)}}`),
      ']',
    ),
  'many members': () =>
    section(
      '"x":{',
      list(MOST, (n) => `"k${n}":${n}`),
      '}',
    ),
  'many wrong kinds of account': () =>
    section(
      '"accounts":{"count":1,"byType":{',
      list(MOST, (n) => `"k${n}":-1`),
      '}}',
    ),
  'many wrong apps': () =>
    section(
      '"apps":[',
      list(240_000, () => '{"package":1}'),
      ']',
    ),
  'many wrong events': () => events(() => '{"t":"","type":1,"x":"","y":"","pasted":1}'),
  'lists in lists': () =>
    section(
      '"x":[',
      list(400_000, () => '['.repeat(25) + ']'.repeat(25)),
      ']',
    ),
  'lists without an end': () => repeat('[', 31),
  'keys in the wrong order': () =>
    events((n) => `{"t":${50_000 - n},"type":"key","dwellMs":${n},"flightMs":1,"target":"f${n}"}`),
  touches: () =>
    events(
      (n) =>
        `{"t":${n},"type":"touch","phase":"${['start', 'move', 'end'][n % 3]}","finger":${n % 100},"x":${n},"y":1}`,
    ),
  'all lists full': () =>
    section(
      '"permissions":[',
      list(1_000, (n) => `{"name":"${'p'.repeat(990)}${n}","granted":true}`),
      '],"apps":[',
      list(5_000, (n) => `{"package":"${'p'.repeat(990)}${n}","category":"${'c'.repeat(990)}${n}"}`),
      '],"accounts":{"count":1,"byType":{',
      list(1_000, (n) => `"${'t'.repeat(990)}${n}":1`),
      '}}',
    ),
  'white space': () => join(section('"x":1'), repeat(' ', 31)),
  'a text of escapes': () => section('"x":"', repeat('\\n', 31), '"'),
  'a text of astral characters': () => section('"x":"', repeat('😀', 31), '"'),
  'a text without an end': () => join('{"a":"', repeat('\\', 31)),
  'long fractions': () =>
    section(
      '"x":[',
      list(40_000, () => `1.${'9'.repeat(780)}`),
      ']',
    ),
  'many values': () => section('"x":[', list(MOST, String), ']'),
  'many members named by numbers': () =>
    section(
      '"x":{',
      list(MOST, (n) => `"${(n * 8_191) % 4_294_967_291}":0`),
      '}',
    ),
  'many long members': () =>
    section(
      '"x":{',
      list(MOST, (n) => `"k${n}${'x'.repeat(45)}":""`),
      '}',
    ),
  'many kinds of account': () =>
    section(
      '"accounts":{"count":1,"byType":{',
      list(MOST, (n) => `"k${n}":1`),
      '}}',
    ),
  'objects in objects': () =>
    section(
      '"x":[',
      list(200_000, () => `${'{"a":'.repeat(25)}1${'}'.repeat(25)}`),
      ']',
    ),
  'fields of long names': () =>
    events(
      (n) => `{"t":${n},"type":"${['focus', 'input', 'blur'][n % 3]}","target":"${'x'.repeat(550)}${n}"}`,
    ),
}

const BOMBS: readonly Input[] = [
  inputOf('giant: a bomb of 1 GB in members', () => {
    const member = gzipSync(Buffer.alloc(32 * MIB), { level: 9 })
    return Buffer.concat(Array<Buffer>(32).fill(member))
  }),
  inputOf('giant: a bomb in a bomb in a bomb', () =>
    [1, 2, 3].reduce(
      (inner) => gzipSync(inner, { level: 9 }),
      gzipSync(Buffer.alloc(64 * MIB), { level: 9 }),
    ),
  ),
]

/** The largest possible inputs, one of each kind; those that once caused failures come first. */
export const LARGEST_INPUTS: readonly Input[] = [
  ...BOMBS,
  ...Object.entries(TEXTS).map(([name, text]) =>
    inputOf(`giant: ${name}`, () => gzipSync(text(), { level: 1 })),
  ),
]
