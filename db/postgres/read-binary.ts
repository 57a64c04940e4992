import { type Connection, types } from 'pg'
import { type BackendMessage, DataRowMessage, RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'

/** The method of node-postgres's parser that reads a message whose content begins at `offset`; its types declare it private. */
interface MessageParser {
  parse(bytes: Buffer, onMessage: (message: BackendMessage) => void): void
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): BackendMessage
}

const DATA_ROW = 'D'.charCodeAt(0)

/**
 * Makes a connection return the values of binary results as bytes. Call it before the connection is made.
 *
 * node-postgres can request binary results, but decodes them as UTF-8, which destroys them. As text, a blob is sent as hexadecimal digits:
 * twice the bytes, written by Postgres, read into a string and decoded here.
 *
 * @see PostgreSQL manual, "Message Formats", DataRow
 */
export function readBinaryResults(connection: Connection): void {
  const receiver = connection as Connection & { attachListeners(stream: Connection['stream']): void }
  receiver.attachListeners = (stream) => {
    const parser = openParser()
    const emit = (message: BackendMessage) =>
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
    stream.on('data', (bytes: Buffer) => parser.parse(bytes, emit))
  }
}

function openParser(): MessageParser {
  const parser = new Parser() as unknown as MessageParser
  const readMessage = parser.handlePacket.bind(parser)
  let isBinary = false // of the rows that follow
  parser.handlePacket = (offset, code, length, bytes) => {
    if (isBinary && code === DATA_ROW) return readRow(offset, length, bytes)
    const message = readMessage(offset, code, length, bytes)
    if (message instanceof RowDescriptionMessage)
      isBinary = message.fields.some(({ format }) => format === 'binary')
    return message
  }
  return parser
}

/** The values are parts of `bytes`, which the parser overwrites later; the result copies them at once. */
function readRow(offset: number, length: number, bytes: Buffer): DataRowMessage {
  const values = new Array(bytes.readInt16BE(offset))
  let at = offset + 2
  for (let n = 0; n < values.length; n++) {
    const size = bytes.readInt32BE(at)
    at += 4
    values[n] = size < 0 ? null : bytes.subarray(at, at + size)
    at += Math.max(size, 0)
  }
  return new DataRowMessage(length, values)
}

const { INT4, INT8, TEXT, BYTEA, TIMESTAMPTZ } = types.builtins

/** 2000-01-01 UTC, from which Postgres counts microseconds. */
const EPOCH_MS = Date.UTC(2000)

const PARSERS: Readonly<Record<number, (value: Buffer) => unknown>> = {
  [INT4]: (value) => value.readInt32BE(),
  [INT8]: (value) => Number(value.readBigInt64BE()),
  [TEXT]: (value) => value.toString('utf8'),
  [BYTEA]: (value) => value,
  [TIMESTAMPTZ]: (value) => new Date(EPOCH_MS + Math.floor(Number(value.readBigInt64BE()) / 1_000)),
}

/** Returns the parser of a type's binary values, which fails its statement for a type that none of our binary results has. */
export const findBinaryParser = (oid: number): ((value: Buffer) => unknown) =>
  PARSERS[oid] ??
  (() => {
    throw new Error(`Binary results have no parser of type ${oid}`)
  })
