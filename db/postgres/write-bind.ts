import type { BindConfig, Connection } from 'pg'

/** Values of this size and above are written to the socket directly; smaller ones are cheaper to copy together. */
const LARGE_BYTES = 4_096

/**
 * Makes a connection write the large values of a statement without copying them.
 *
 * node-postgres collects all values in one buffer that starts small and is copied each time it grows: a batch of uploads was copied
 * two and a half times, each time into new memory, which took an eighth of the web process's time.
 *
 * @see PostgreSQL manual, "Message Formats", Bind
 */
export function sendLargeValuesUncopied(connection: Connection): void {
  const bind = connection.bind.bind(connection)
  connection.bind = (config, more) => {
    if (connection.stream.writable && config?.values?.some(isLarge)) writeBind(connection.stream, config)
    else bind(config, more)
  }
}

const isLarge = (value: unknown): boolean => Buffer.isBuffer(value) && value.length >= LARGE_BYTES

function writeBind(
  stream: Connection['stream'],
  { portal = '', statement = '', values = [], binary, valueMapper }: BindConfig,
): void {
  const mapped = values.map((value, n): Buffer | string | null => valueMapper?.(value, n) ?? value ?? null)
  const names = Buffer.from(`${portal}\0${statement}\0`)
  const largeBytes = sum(mapped, (value) => (isLarge(value) ? lengthOf(value) : 0))
  const valuesBytes = sum(mapped, (value) => 4 + Math.max(lengthOf(value), 0))
  const own = Buffer.allocUnsafe(13 + names.length + 2 * mapped.length + valuesBytes - largeBytes)

  let at = own.writeUInt8('B'.charCodeAt(0))
  at = own.writeInt32BE(own.length - 1 + largeBytes, at)
  at += names.copy(own, at)
  at = own.writeUInt16BE(mapped.length, at)
  for (const value of mapped) at = own.writeInt16BE(Buffer.isBuffer(value) ? BINARY : TEXT, at)
  at = own.writeUInt16BE(mapped.length, at)
  let unwritten = 0
  for (const value of mapped) {
    at = own.writeInt32BE(lengthOf(value), at)
    if (typeof value === 'string') at += own.write(value, at)
    else if (isLarge(value)) {
      stream.write(own.subarray(unwritten, at))
      stream.write(value)
      unwritten = at
    } else if (value !== null) at += value.copy(own, at)
  }
  at = own.writeInt16BE(1, at) // one format, for all columns of the answer
  own.writeInt16BE(binary ? BINARY : TEXT, at)
  stream.write(own.subarray(unwritten))
}

const TEXT = 0
const BINARY = 1

/** -1 of null, as Bind has it. */
const lengthOf = (value: Buffer | string | null): number => (value === null ? -1 : Buffer.byteLength(value))

const sum = <Value>(values: readonly Value[], numberOf: (value: Value) => number): number =>
  values.reduce((total, value) => total + numberOf(value), 0)
