import { constants, deflateRawSync, gzipSync, type ZlibOptions } from 'node:zlib'
import fc from 'fast-check'
import { arbitraryCapture } from '../../support/arbitrary-captures.ts'
import { CORPUS, JSON_OF_CORPUS } from './corpus.ts'
import { type Input, makeInputs } from './input.ts'
import { UNUSUAL_BYTES, UNUSUAL_JSON, UNUSUAL_NAMES } from './unusual-parts.ts'
import { type Change, listPaths, type ValuePath, writeJson } from './write-json.ts'

const KIB = 1024

const gzip = (bytes: string | Uint8Array, options: ZlibOptions = { level: 1 }) => gzipSync(bytes, options)

const BLOBS = JSON_OF_CORPUS.map((json) => gzip(json))
const PATHS = CORPUS.map((capture) => listPaths(capture))

const ofCorpus = fc.nat(CORPUS.length - 1)
/** A relative position, uniformly distributed. */
const share = fc.noBias(fc.nat(999_999)).map((n) => n / 1_000_000)

// ── changed bytes

const someBytes = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 6 }), fc.constantFrom(...UNUSUAL_BYTES))

const edits = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: share, bit: fc.nat(7) }),
    fc.record({ kind: fc.constant('insert' as const), at: share, bytes: someBytes }),
    fc.record({ kind: fc.constant('overwrite' as const), at: share, bytes: someBytes }),
    fc.record({ kind: fc.constant('delete' as const), at: share, bytes: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ kind: fc.constant('truncate' as const), at: share }),
    fc.record({
      kind: fc.constant('splice' as const),
      at: share,
      of: ofCorpus,
      from: share,
      bytes: fc.nat(4_000),
    }),
    fc.record({ kind: fc.constant('repeat' as const), at: share, bytes: fc.nat(64), times: fc.nat(2_000) }),
  ),
  { minLength: 1, maxLength: 5 },
)
type Edit = typeof edits extends fc.Arbitrary<(infer E)[]> ? E : never

function applyEdit(bytes: Uint8Array, edit: Edit, sources: readonly Uint8Array[]): Uint8Array {
  const at = Math.floor(edit.at * bytes.length)
  const replace = (removed: number, ...added: Uint8Array[]) =>
    Buffer.concat([bytes.subarray(0, at), ...added, bytes.subarray(at + removed)])
  switch (edit.kind) {
    case 'flip':
      return replace(1, Uint8Array.of((bytes[at] ?? 0) ^ (1 << edit.bit)))
    case 'insert':
      return replace(0, edit.bytes)
    case 'overwrite':
      return replace(edit.bytes.length, edit.bytes)
    case 'delete':
      return replace(edit.bytes)
    case 'truncate':
      return bytes.subarray(0, at)
    case 'splice': {
      const source = sources[edit.of] ?? bytes
      const from = Math.floor(edit.from * source.length)
      return replace(0, source.subarray(from, from + edit.bytes))
    }
    case 'repeat':
      return replace(0, ...Array<Uint8Array>(edit.times).fill(bytes.subarray(at, at + edit.bytes)))
  }
}

const applyEdits = (sources: readonly Uint8Array[], of: number, list: readonly Edit[]) =>
  list.reduce((bytes, edit) => applyEdit(bytes, edit, sources), sources[of] as Uint8Array)

/** Changed compressed bytes of a real capture. */
const editedBlobs = makeInputs(fc.record({ editedBlob: ofCorpus, edits }), (recipe) =>
  applyEdits(BLOBS, recipe.editedBlob, recipe.edits),
)

/** The JSON of a real capture with changed bytes, in valid gzip. */
const editedTexts = makeInputs(fc.record({ editedText: ofCorpus, edits }), (recipe) =>
  gzip(applyEdits(JSON_OF_CORPUS, recipe.editedText, recipe.edits)),
)

// ── changed values

const jsonText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...UNUSUAL_JSON) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)) },
  // a value from another path: a list instead of a number, a section within a section
  {
    weight: 2,
    arbitrary: fc
      .record({ of: ofCorpus, at: share })
      .map(({ of, at }) => JSON.stringify(valueAt(of, at)).slice(0, 20_000)),
  },
)
const name = fc.oneof(
  fc.constantFrom(...UNUSUAL_NAMES),
  fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
)

const valueChange = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace' as const), value: jsonText }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), name, value: jsonText }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('twin' as const), value: jsonText }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wrap' as const), times: fc.nat(50), inList: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), times: fc.nat(3_000) }) },
)
type ValueChange = typeof valueChange extends fc.Arbitrary<infer C> ? C : never

/** Limit of a repeated entry, so that nested repetitions stay small. */
const MAX_REPEATED_CHARS = 256 * KIB

const changeOf = (change: ValueChange): Change => {
  switch (change.kind) {
    case 'replace':
      return (entry) => [{ ...entry, value: change.value }]
    case 'add':
      return (entry) => [entry, { name: entry.name && change.name, value: change.value }]
    case 'rename':
      return (entry) => [{ ...entry, name: entry.name && change.name }]
    case 'remove':
      return () => []
    case 'twin':
      return (entry) => [entry, { ...entry, value: change.value }]
    case 'wrap':
      return ({ name, value }) => {
        const [open, close] = change.inList ? ['[', ']'] : ['{"a":', '}']
        return [{ name, value: open.repeat(change.times) + value + close.repeat(change.times) }]
      }
    case 'repeat':
      return ({ name, value }) =>
        Array.from({ length: Math.min(change.times, MAX_REPEATED_CHARS / (value.length + 1)) }, (_, n) => ({
          name: name && `${name.slice(0, -1)}${n}"`,
          value,
        }))
  }
}

const pathAt = (of: number, at: number): ValuePath => {
  const paths = PATHS[of] ?? []
  return paths[Math.floor(at * paths.length)] ?? []
}

const valueAt = (of: number, at: number): unknown =>
  pathAt(of, at).reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], CORPUS[of])

/** A real capture with some changed values or names. */
const changedValues = makeInputs(
  fc.record({
    changedValues: ofCorpus,
    changes: fc.array(fc.tuple(share, valueChange), { minLength: 1, maxLength: 4 }),
  }),
  ({ changedValues: of, changes }) =>
    gzip(
      writeJson(
        CORPUS[of],
        changes.map(([at, change]) => [pathAt(of, at), changeOf(change)] as const),
      ),
    ),
)

/** Valid captures that no SDK would send, some of them with one invalid value. */
const oddCaptures = makeInputs(
  fc.record({
    oddCapture: arbitraryCapture,
    changes: fc.array(fc.tuple(share, valueChange), { maxLength: 1 }),
  }),
  ({ oddCapture, changes }) => {
    const paths = listPaths(oddCapture)
    return gzip(
      writeJson(
        oddCapture,
        changes.map(
          ([at, change]) => [paths[Math.floor(at * paths.length)] ?? [], changeOf(change)] as const,
        ),
      ),
    )
  },
)

// ── unusual gzip

const FORMS = {
  stored: (part) => gzip(part, { level: 0 }),
  usual: (part) => gzip(part),
  best: (part) => gzip(part, { level: 9 }),
  fixedCodes: (part) => gzip(part, { strategy: constants.Z_FIXED }),
  huffmanOnly: (part) => gzip(part, { strategy: constants.Z_HUFFMAN_ONLY }),
  smallWindow: (part) => gzip(part, { windowBits: 9 }),
  unfinished: (part) => gzip(part, { finishFlush: constants.Z_SYNC_FLUSH }),
  twice: (part) => gzip(gzip(part)),
  raw: (part) => deflateRawSync(part),
  plain: (part) => Buffer.from(part),
  withNames: (part) => withHeaderFields(gzip(part), 0x04 | 0x08 | 0x10),
  withHeaderChecksum: (part) => withHeaderFields(gzip(part), 0x02),
  withReservedFlags: (part) => withHeaderFields(gzip(part), 0xe0),
  saysHuge: (part) => withTrailer(gzip(part), 4, 0xff),
  wrongChecksum: (part) => withTrailer(gzip(part), 8, 0xa5),
  cutTrailer: (part) => gzip(part).subarray(0, -5),
  cutHeader: (part) => gzip(part).subarray(0, 7),
} as const satisfies Record<string, (part: Uint8Array) => Buffer>

/** @see RFC 1952, section 2.3: FHCRC, FEXTRA, FNAME, FCOMMENT and reserved flags */
function withHeaderFields(member: Buffer, flags: number): Buffer {
  const header = Buffer.from(member.subarray(0, 10))
  header[3] = flags
  const extra = flags & 0x04 ? Buffer.from([4, 0, 1, 2, 3, 4]) : Buffer.alloc(0)
  const names = flags & 0x08 ? Buffer.from('a\u001b[31m\n\0comment\0', 'latin1') : Buffer.alloc(0)
  return Buffer.concat([header, extra, names, member.subarray(10)])
}

const withTrailer = (member: Buffer, fromEnd: number, byte: number): Buffer =>
  Buffer.from(member).fill(byte, member.length - fromEnd, member.length - fromEnd + 4)

const formNames = Object.keys(FORMS) as (keyof typeof FORMS)[]

/** The JSON of a real capture in parts that are compressed differently, with other bytes in between. */
const oddMembers = makeInputs(
  fc.record({
    oddMembers: ofCorpus,
    forms: fc.array(fc.oneof(fc.constantFrom(...formNames), fc.constant('usual' as const)), {
      minLength: 1,
      maxLength: 5,
    }),
    between: fc.array(fc.option(fc.constantFrom(...UNUSUAL_BYTES, new Uint8Array(512)), { freq: 8 }), {
      maxLength: 5,
    }),
  }),
  ({ oddMembers: of, forms, between }) => {
    const json = JSON_OF_CORPUS[of] ?? Buffer.alloc(0)
    const size = Math.ceil(json.length / forms.length)
    return Buffer.concat(
      forms.flatMap((form, n) => [
        FORMS[form](json.subarray(n * size, (n + 1) * size)),
        between[n] ?? Buffer.alloc(0),
      ]),
    )
  },
)

// ── bombs

const FILLERS = [
  '\0',
  ' ',
  '0',
  '[',
  ']',
  '{"a":',
  '"',
  '\\',
  '\\u0000',
  '"a":1,',
  '0,',
  '[],',
  '{},',
  '[[[]]],',
  '{"t":1},',
  'é',
  '😀',
  '1e9,',
] as const
const FRAMES = {
  bare: ['', ''],
  list: ['[', '0]'],
  text: ['{"format":"', '"}'],
  unclosed: ['{"a":[', ''],
  apps: ['{"apps":[', '0]}'],
} as const

/** Long repetitions, in one or many gzip members, and nested gzip. */
const bombs = makeInputs(
  fc.record({
    bomb: fc.constantFrom(...FILLERS),
    frame: fc.constantFrom(...(Object.keys(FRAMES) as (keyof typeof FRAMES)[])),
    /** Mostly small, to keep runs short. */
    bytes: fc.integer({ min: 10, max: 23 }).map((power) => 2 ** power),
    members: fc.oneof(
      { weight: 9, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 40 }) },
    ),
    wrappings: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(4) }),
  }),
  ({ bomb, frame, bytes, members, wrappings }) => {
    const [open, close] = FRAMES[frame]
    const filling = Buffer.alloc(bytes, bomb).subarray(0, bytes - (bytes % Buffer.byteLength(bomb)))
    const member = gzip(Buffer.concat([Buffer.from(open), filling, Buffer.from(close)]))
    let blob: Buffer = Buffer.concat(Array<Buffer>(members).fill(member))
    for (let n = 0; n < wrappings; n++) blob = gzip(blob)
    return blob
  },
)

const noise = makeInputs(
  fc.record({ noise: fc.uint8Array({ maxLength: 300 }), marked: fc.boolean(), inGzip: fc.boolean() }),
  ({ noise: bytes, marked, inGzip }) =>
    inGzip ? gzip(bytes) : Buffer.concat([Buffer.from(marked ? [0x1f, 0x8b, 8, 0] : []), bytes]),
)

/** Inputs of all kinds, mostly close to valid ones, as noise is rejected by the first check. */
export const arbitraryInput: fc.Arbitrary<Input> = fc.oneof(
  { weight: 20, arbitrary: editedBlobs },
  { weight: 20, arbitrary: editedTexts },
  { weight: 32, arbitrary: changedValues },
  { weight: 12, arbitrary: oddCaptures },
  { weight: 10, arbitrary: oddMembers },
  { weight: 2, arbitrary: bombs },
  { weight: 4, arbitrary: noise },
)
