import { z } from 'zod'
import { Capture } from '../../db/capture.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'

export const captureSchema = () => {
  const schema = new JsonText(
    JSON.stringify(z.toJSONSchema(Capture, { target: 'draft-2020-12', io: 'input' }), null, 2),
  )
  return endpoint({
    method: 'get',
    path: '/schemas/capture-1.json',
    operationId: 'readCaptureSchema',
    tag: 'Reference',
    summary: 'JSON Schema of the capture format, version 1',
    credential: { kind: 'none' },
    answer: {
      status: 200,
      description: 'JSON Schema, draft 2020-12',
      schema: z.looseObject({ $schema: z.url() }),
    },
    problems: [],
    async act() {
      return schema
    },
  })
}
