import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector receives it; ids in hexadecimal. */
export interface ReceivedSpan {
  readonly service: string
  readonly version: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first span of a trace. */
  readonly parentId: string
  readonly name: string
  /** @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto, SpanKind */
  readonly kind: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Span ids. */
  readonly links: readonly string[]
  readonly failed: boolean
  readonly ms: number
}

/** A receiver of OTLP over HTTP. */
export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** All bytes that it received, as Latin 1. */
  readonly received: string
}

/** Starts a collector on this machine. @param answers whether it answers; otherwise it keeps requests open. */
export async function openCollector({ answers = true } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  let received = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    received += body.toString('latin1')
    if (!answers) return
    const isTraces =
      request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf'
    if (isTraces) spans.push(...readRequest(body))
    response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get received() {
      return received
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Field = bigint | Buffer

/** Reads the fields of a message by their number. @see https://protobuf.dev/programming-guides/encoding/ */
function readMessage(bytes: Buffer): (number: number) => Field[] {
  const fields = new Map<number, Field[]>()
  let at = 0
  const readVarint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('A message ends within a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const readBytes = (length: number) => {
    if (at + length > bytes.length) throw new Error('A message ends within a field')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(readVarint())
    const type = tag & 7
    const value =
      type === 0
        ? readVarint()
        : type === 1
          ? readBytes(8).readBigUInt64LE()
          : type === 5
            ? BigInt(readBytes(4).readUInt32LE())
            : readBytes(Number(readVarint()))
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return (number) => fields.get(number) ?? []
}

const messagesOf = (fields: readonly Field[]) =>
  fields.flatMap((field) => (Buffer.isBuffer(field) ? [readMessage(field)] : []))
const hexOf = ([field]: readonly Field[]) => (Buffer.isBuffer(field) ? field.toString('hex') : '')
const textOf = ([field]: readonly Field[]) => (Buffer.isBuffer(field) ? field.toString() : '')
const numberOf = ([field]: readonly Field[]) => (typeof field === 'bigint' ? field : 0n)

const attributesOf = (fields: readonly Field[]) =>
  Object.fromEntries(
    messagesOf(fields).map((pair) => {
      const [value] = messagesOf(pair(2))
      const isText = value !== undefined && value(1).length > 0
      return [textOf(pair(1)), isText ? textOf(value(1)) : Number(numberOf(value?.(3) ?? []))]
    }),
  )

/** Reads an `ExportTraceServiceRequest`. @see https://github.com/open-telemetry/opentelemetry-proto */
function readRequest(body: Buffer): ReceivedSpan[] {
  return messagesOf(readMessage(body)(1)).flatMap((ofResource) => {
    const [resource] = messagesOf(ofResource(1))
    const described = attributesOf(resource?.(1) ?? [])
    const spans = messagesOf(ofResource(2)).flatMap((ofScope) => messagesOf(ofScope(2)))
    return spans.map((span) => ({
      service: String(described['service.name']),
      version: String(described['service.version']),
      traceId: hexOf(span(1)),
      spanId: hexOf(span(2)),
      parentId: hexOf(span(4)),
      name: textOf(span(5)),
      kind: Number(numberOf(span(6))),
      attributes: attributesOf(span(9)),
      links: messagesOf(span(13)).map((link) => hexOf(link(2))),
      failed: messagesOf(span(15)).some((status) => numberOf(status(3)) === 2n),
      ms: Number(numberOf(span(8)) - numberOf(span(7))) / 1e6,
    }))
  })
}
