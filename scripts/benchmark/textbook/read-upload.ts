import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { decodeBase64 } from '../../../api/datasets/decode-base64.ts'
import { AdditionalInfo, ReferenceNumber } from '../../../api/datasets/members.ts'
import { parse } from '../../../api/http/parse.ts'
import { Problem } from '../../../api/http/problem.ts'

const UploadBody = z.object({
  referenceNumber: ReferenceNumber,
  data: z.string(),
  realIp: z.string().max(1_000).optional(),
  additionalInfo: AdditionalInfo.optional(),
})

/** An upload as the textbook stores it. */
export interface TextbookUpload extends Omit<z.output<typeof UploadBody>, 'data'> {
  readonly blob: Buffer
  readonly dataHash: Buffer
}

/** @throws Problem `payload_too_large`, `malformed_json` or `validation_failed`. */
export async function readUpload(request: IncomingMessage, maxBytes: number): Promise<TextbookUpload> {
  const { data, ...rest } = parse(UploadBody, await readBody(request, maxBytes))
  const blob = decodeBase64(data)
  if (!blob) throw new Problem('validation_failed', { errors: { data: ['must be base64'] } })
  return { ...rest, blob, dataHash: hash('sha256', data, 'buffer') }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new Problem('payload_too_large')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Problem('malformed_json')
  }
}
